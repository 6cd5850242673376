import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../domain/ids.ts'
import { proofLine, type ProvableEvent } from './proof-line.ts'
import type { LedgerTables } from './tables.ts'

const PAGE_EVENTS = 1000
/** Of a page, unless one event alone has more. */
const PAGE_BYTES = 8 * 1024 * 1024

/**
 * The lines of the proof format after a position and up to another, in pages. Each page is a short statement of its
 * own, bounded in events and bytes: events never change, so nothing has to hold them together. Throws when one is
 * missing.
 */
export async function* readProofPages(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo }: { after: number; upTo: number },
): AsyncGenerator<{ lines: string; events: number }> {
  for (let position = after; position < upTo; ) {
    const page = await readPage(db, companyId, position, upTo)
    const gap = page.findIndex((event, at) => event.position !== position + at + 1)
    if (gap >= 0 || page.length === 0) {
      throw new Error(`the event at position ${position + Math.max(gap, 0) + 1} of ${companyId} is missing`)
    }
    position += page.length
    yield { lines: page.map(proofLine).join(''), events: page.length }
  }
}

async function readPage(db: Kysely<LedgerTables>, companyId: string, after: number, upTo: number) {
  // The first is always among them: what stands before it has no bytes.
  const { rows } = await sql<ProvableEvent & { position: number }>`
    select position, envelope, data, salt from (
      select position, envelope, data, salt,
        sum(coalesce(octet_length(data), 0)) over (order by position rows between unbounded preceding and 1 preceding) as before
      from (
        select position, envelope, data, salt from events
        where company_id = ${toUuid(companyId)} and position > ${after} and position <= ${upTo}
        order by position limit ${PAGE_EVENTS}
      ) as candidates
    ) as page where coalesce(before, 0) < ${PAGE_BYTES} order by position`.execute(db)
  return rows
}
