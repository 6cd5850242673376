import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { PROJECTIONS } from '../../../projections/index.ts'
import { readEmployeePage } from '../../../projections/employees/queries.ts'
import { schemaOf } from '../../../projections/projection.ts'
import { sourceOf, type CallSource } from '../../../src/domain/call-sources.ts'
import type { CallFacts } from '../../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, packFrontier } from '../../../src/ledger/integrity/merkle.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import { catchUp } from '../../../src/workers/project.ts'
import { toEventRow } from './event-row.ts'

/* The ledgers of released versions never change, and always verify and fold to the same state. record-release.ts makes one. */

/** The versions that have a recorded ledger: those that were released, and the next one, once it has new events. */
export const FROZEN = ['1.0.0', '1.1.0', '1.2.0'] as const

/** What a recorded ledger folds to, without erased employees, whose rows may change. */
interface Folded {
  employees: object[]
  entries: object[]
}

interface FrozenLedger {
  lines: string[]
  /** Two earlier signed checkpoints, and the one at its end. */
  checkpoints: string
  publicKey: string
  folded: Folded
}

export function frozenFile(version: string, ending: 'ndjson' | 'checkpoints' | 'json'): string {
  return `test/fixtures/${version}/ledger.${ending}`
}

export function readFrozen(version: string): FrozenLedger {
  const text = (ending: 'ndjson' | 'checkpoints' | 'json') => readFileSync(frozenFile(version, ending), 'utf8')
  const lines = text('ndjson').match(/.*\n/g) ?? []
  return {
    lines: [...lines],
    checkpoints: text('checkpoints'),
    ...(JSON.parse(text('json')) as Pick<FrozenLedger, 'publicKey' | 'folded'>),
  }
}

/** Whether this program is that version or a later one: then its recording never changes. */
export function isReleased(version: string): boolean {
  const { version: own } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  return own.localeCompare(version, 'en', { numeric: true }) >= 0
}

/** The events of a recorded ledger that close calls. */
export function listClosings(
  version: string,
): { type: string; version: number; operation: string; source: CallSource }[] {
  return readFrozen(version).lines.flatMap((line) => {
    const { envelope, data } = JSON.parse(line) as Line
    const { type, schema_version: schemaVersion } = JSON.parse(envelope) as { type: string; schema_version: number }
    if (type !== 'ApiCallCompleted' && type !== 'ApiCallFailed') return []
    const facts = JSON.parse(data!) as CallFacts
    return { type, version: schemaVersion, operation: facts.operation, source: sourceOf(facts) }
  })
}

interface Line {
  envelope: string
  data: string | null
  salt: string | null
}

/** Inserts the events of an export as if they had been appended, and returns their company's id. */
export async function loadLedger(db: LedgerDb, lines: string[]): Promise<string> {
  const rows = lines.map((line) => {
    const { envelope, data, salt } = JSON.parse(line) as Line
    const row = toEventRow(JSON.parse(envelope), data, salt === null ? null : Buffer.from(salt, 'hex'))
    return { ...row, leaf_hash: leafHash(envelope) }
  })
  const company = rows[0]!.company_id
  const frontier = appendLeaves(
    EMPTY_FRONTIER,
    rows.map((row) => row.leaf_hash),
  )
  const head = {
    company_id: company,
    position: rows.length,
    frontier: packFrontier(frontier),
    recorded_at: new Date().toISOString(),
  }
  await sql`insert into companies (company_id, name, created_at) values (${company}, 'Frozen', ${head.recorded_at})`.execute(
    db,
  )
  await db.insertInto('heads').values(head).execute()
  await db.insertInto('events').values(rows).execute()
  return fromUuid('com', company)
}

/** Folds a company's ledger with the current projections, and returns the result. */
export async function foldLedger(db: LedgerDb, companyId: string): Promise<Folded> {
  for (const projection of PROJECTIONS) await catchUp(db, projection, companyId)
  const company = toUuid(companyId)
  const tableOf = (name: string, table: string) =>
    sql.id(schemaOf(PROJECTIONS.find((projection) => projection.name === name)!), table)
  const rows = async (table: ReturnType<typeof tableOf>, order: string) => {
    const found = await sql<{
      row: object
    }>`select to_json(r) as row from ${table} r where company_id = ${company} order by ${sql.raw(order)}`.execute(db)
    return found.rows.map(({ row }) => row)
  }
  const { employees: all } = await readEmployeePage(db, companyId, {}, { after: null, limit: 100_000 })
  const erased = await sql<{ id: string }>`
    select stream_id as id from events where company_id = ${company} and type = 'EmployeeErased'`.execute(db)
  const gone = new Set(erased.rows.map(({ id }) => fromUuid('emp', id)))
  return {
    employees: all.filter(({ id }) => !gone.has(id)),
    entries: await rows(tableOf('bulk-user-logs', 'entries'), 'position'),
  }
}
