import { sql } from 'kysely'
import { toUuid } from '../domain/ids.ts'
import { rootOf, unpackFrontier } from './merkle.ts'
import type { LedgerDb } from './tables.ts'

/** How a projection stands, in one company, and in all of them without telling which. */
export interface ProjectionStanding {
  name: string
  version: number
  /** The position up to which it has folded the company's events. */
  reached: number
  /** Events of the company that it has not folded. */
  eventsBehind: number
  /** How long the oldest of them has been in the ledger; 0 when there is none. */
  secondsBehind: number
  /** Failures in a row at the event that comes next. */
  attempts: number
  /** RFC 3339 UTC; null when the company is not parked. */
  parkedAt: string | null
  /** The last failure at the event that comes next. */
  error: string | null
  companiesBehind: number
  companiesParked: number
}

/** How a projection stands, seen from one company. */
export async function readStanding(
  db: LedgerDb,
  companyId: string,
  projection: { name: string; version: number },
): Promise<ProjectionStanding> {
  const { name, version } = projection
  const { rows } = await sql<Standing & Totals>`
    select o.*, a.*, coalesce((
        select extract(epoch from clock_timestamp() - (e.envelope::json ->> 'recorded_at')::timestamptz)::double precision
        from events e where e.company_id = o.company_id and e.position = o.reached + 1
      ), 0) as age
    from (
      select h.company_id, h.position as head, coalesce(c.position, 0) as reached, coalesce(c.attempts, 0) as attempts,
        c.parked_at, c.error
      from heads h left join checkpoints c
        on c.company_id = h.company_id and c.projection = ${name} and c.version = ${version}
      where h.company_id = ${toUuid(companyId)}
    ) o cross join (
      select count(*) filter (where h.position > coalesce(c.position, 0))::integer as behind,
        count(*) filter (where c.parked_at is not null)::integer as parked
      from heads h left join checkpoints c
        on c.company_id = h.company_id and c.projection = ${name} and c.version = ${version}
    ) a`.execute(db)
  const row = rows[0]
  if (!row) throw new Error(`there is no company ${companyId}`)
  return {
    ...{ name, version, reached: row.reached, eventsBehind: row.head - row.reached },
    // The clocks of an append and of this statement may differ by a little.
    secondsBehind: Math.max(0, row.age),
    ...{ attempts: row.attempts, parkedAt: row.parked_at, error: row.error },
    ...{ companiesBehind: row.behind, companiesParked: row.parked },
  }
}

interface Standing {
  head: number
  reached: number
  attempts: number
  parked_at: string | null
  error: string | null
  age: number
}

interface Totals {
  behind: number
  parked: number
}

/** The head of a company's ledger. */
export interface LedgerHead {
  position: number
  /** The root of the Merkle tree over all its events, in hexadecimal. */
  root: string
  /** When its last event was recorded, RFC 3339 UTC. */
  recordedAt: string
}

export async function readHead(db: LedgerDb, companyId: string): Promise<LedgerHead> {
  const { position, frontier, recorded_at: recordedAt } = await db
    .selectFrom('heads')
    .select(['position', 'frontier', 'recorded_at'])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirstOrThrow()
  return { position, root: rootOf(unpackFrontier(position, frontier)).toString('hex'), recordedAt }
}

/** Jobs of one queue, of all companies. */
export interface QueueDepth {
  name: string
  /** Not begun, those for later included. */
  waiting: number
  active: number
}

export interface HealthReport {
  projections: ProjectionStanding[]
  queues: QueueDepth[]
  /** What runs, by name: `PostgreSQL` → `18.4`. */
  versions: Record<string, string>
}

/** What tells how the system is, and lets a parked company go on. Made where the queues are known. */
export interface SystemHealth {
  /** The report as a company may see it: nothing in it names another one. */
  report(companyId: string): Promise<HealthReport>
  /** Lets a parked company go on. Returns false when it was not parked, or there is no such projection. */
  resume(companyId: string, projection: string): Promise<boolean>
}
