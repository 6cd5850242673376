import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { rootOf, unpackFrontier, type Frontier } from '../integrity/merkle.ts'
import type { LedgerDb } from '../tables.ts'
import { binarySearch } from './binary-search.ts'

/** The head of a company's ledger as of the last commit. Times are RFC 3339 UTC. */
export interface SeenHead {
  position: number
  frontier: Frontier
  /** The root of the Merkle tree over all events. */
  root: Buffer
  /** The time of its last event. */
  recordedAt: string
  /** The database's time of the read. */
  now: string
}

/** Reads the head of a company. Throws if there is no such company. */
export async function readHead(db: LedgerDb, companyId: string): Promise<SeenHead> {
  const head = await findHead(db, companyId)
  if (!head) throw new Error(`there is no company ${companyId}`)
  return head
}

/** Reads the head of a company; null if there is no such company. */
export async function findHead(db: LedgerDb, companyId: string): Promise<SeenHead | null> {
  const row = await db
    .selectFrom('heads')
    .select(['position', 'frontier', 'recorded_at', sql<string>`clock_timestamp()`.as('now')])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirst()
  if (!row) return null
  const { position, frontier, recorded_at: recordedAt, now } = row
  const tree = unpackFrontier(position, frontier)
  return { position, frontier: tree, root: rootOf(tree), recordedAt, now }
}

/** Reads the database's time, RFC 3339 UTC. Citus takes it in an update only as a parameter. */
export async function readNow(db: LedgerDb) {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)
  return rows[0]!.now
}

/** The head positions of these companies. */
export async function readPositions(db: LedgerDb, companyIds: string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('heads')
    .select(['company_id', 'position'])
    .where('company_id', 'in', companyIds.map(toUuid))
    .execute()
  return new Map(rows.map(({ company_id: company, position }) => [fromUuid('com', company), position]))
}

const COMPANIES_PER_PAGE = 1_000
/** Comes before every company. */
export const NO_COMPANY = '00000000-0000-0000-0000-000000000000'

/** Yields the head positions of all companies, in the order of their UUIDs. */
export async function* pageHeads(db: LedgerDb): AsyncGenerator<{ companyId: string; position: number }> {
  for (let after = NO_COMPANY; ;) {
    const rows = await db
      .selectFrom('heads')
      .select(['company_id', 'position'])
      .where('company_id', '>', after)
      .orderBy('company_id')
      .limit(COMPANIES_PER_PAGE)
      .execute()
    for (const { company_id: company, position } of rows) yield { companyId: fromUuid('com', company), position }
    if (rows.length < COMPANIES_PER_PAGE) return
    after = rows.at(-1)!.company_id
  }
}

/*
 * Finds positions by binary search: times never go back within a company, and the events of a call are contiguous. A
 * million events take about twenty single-row reads.
 */

/**
 * The last position recorded before a time (RFC 3339 UTC with milliseconds) or, if inclusive, at it; 0 if there is
 * none.
 */
export async function findLastPositionBefore(
  db: LedgerDb,
  companyId: string,
  head: number,
  time: string,
  { inclusive }: { inclusive: boolean },
): Promise<number> {
  const first = await binarySearch(1, head, async (position) => {
    const { recorded_at: recordedAt } = await readPlace(db, companyId, position)
    return inclusive ? recordedAt > time : recordedAt >= time
  })
  return first - 1
}

/** The positions of the first and last event of a call; null if the company has no such call. */
export async function findPositionsOfCall(
  db: LedgerDb,
  companyId: string,
  head: number,
  callId: string,
): Promise<{ first: number; last: number } | null> {
  const call = toUuid(callId)
  // A call has its own stream, whose first event belongs to the call.
  const streamEvent = await db
    .selectFrom('events')
    .select('position')
    .where('company_id', '=', toUuid(companyId))
    .where('stream_id', '=', call)
    .where('stream_version', '=', 1)
    .where('position', '<=', head)
    .executeTakeFirst()
  if (!streamEvent) return null
  const isOfCall = async (position: number) => (await readPlace(db, companyId, position)).call_id === call
  if (!(await isOfCall(streamEvent.position))) return null
  const first = await binarySearch(1, streamEvent.position, isOfCall)
  const next = await binarySearch(streamEvent.position + 1, head, async (position) => !(await isOfCall(position)))
  return { first, last: next - 1 }
}

function readPlace(db: LedgerDb, companyId: string, position: number) {
  return db
    .selectFrom('events')
    .select(['recorded_at', 'call_id'])
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirstOrThrow()
}
