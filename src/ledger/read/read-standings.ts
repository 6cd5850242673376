import { sql } from 'kysely'
import type { Pool } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import { openDatabase } from '#postgres/kysely'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { headsWithCheckpoints, isComplete } from './read-progress.ts'
import type { WitnessFault } from '#domain/attention'

/* What operators and monitoring see of all companies. */

/** The number of parked companies listed per projection; more are only counted. */
const SHOWN_PARKED = 100

/** The state of a projection across all companies. */
export interface ProjectionStanding {
  projection: string
  version: number
  /** Whether its tables may be read: false while a new version is filled for the first time. */
  is_complete: boolean
  companies: number
  /** Companies with events that it has not folded, and the total number of these events. */
  lagging: number
  events_behind: number
  /** The age of the oldest event that it has not folded; null if there is none. */
  seconds_behind: number | null
  parked_companies: number
  parked: { company_id: string; position: number; parked_at: string; error: string | null }[]
  /** The rebuild that is running or was interrupted; null if there is none. */
  rebuild: { events: number; of: number } | null
}

/** The state of a projection in one company, with totals over all companies, which identify none. */
export interface CompanyStanding {
  name: string
  version: number
  /** The position up to which it has folded. */
  reached: number
  /** Events that it has not folded. */
  eventsBehind: number
  /** How long the oldest of them has been in the ledger; 0 if there is none. */
  secondsBehind: number
  /** Consecutive failures at the next event. */
  attempts: number
  /** RFC 3339 UTC; null if the company is not parked. */
  parkedAt: string | null
  /** The last failure at the next event. */
  error: string | null
}

interface Version {
  name: string
  version: number
}

/** Reads the state of a projection, for operators and monitoring. */
export async function readStanding(pool: Pool, { name, version }: Version): Promise<ProjectionStanding> {
  const db = openDatabase<LedgerTables>(pool)
  const lag = await readLag(db, { name, version })
  const rebuild = await readRebuild(db, name, version)
  return {
    projection: name,
    version,
    ...lag,
    is_complete: await isComplete(db, { name, version }),
    seconds_behind: lag.lagging === 0 ? null : await oldestSeconds(db, name, version),
    parked: await readParked(db, name, version),
    rebuild: rebuild.events > 0 ? rebuild : null,
  }
}

/** Reads the state of a projection in one company. */
export async function readCompanyStanding(
  db: LedgerDb,
  companyId: string,
  { name, version }: Version,
): Promise<CompanyStanding> {
  // An append and this statement may run on slightly different clocks, so that an event is younger than nothing.
  const { rows } = await sql<Omit<CompanyStanding, 'name' | 'version'>>`
    select coalesce(c.position, 0) as reached, h.position - coalesce(c.position, 0) as "eventsBehind",
      greatest(0, extract(epoch from clock_timestamp() - e.recorded_at))::double precision as "secondsBehind",
      coalesce(c.attempts, 0) as attempts, c.parked_at as "parkedAt", c.error
    from ${headsWithCheckpoints({ name, version })}
    left join events e on e.company_id = h.company_id and e.position = coalesce(c.position, 0) + 1
    where h.company_id = ${toUuid(companyId)}`.execute(db)
  if (!rows[0]) throw new Error(`there is no company ${companyId}`)
  return { name, version, ...rows[0] }
}

type Lag = Pick<ProjectionStanding, 'companies' | 'lagging' | 'events_behind' | 'parked_companies'>

async function readLag(db: LedgerDb, { name, version }: Version) {
  const { rows } = await sql<Lag>`
    select count(*)::integer as companies,
      count(*) filter (where h.position > coalesce(c.position, 0))::integer as lagging,
      count(c.parked_at)::integer as parked_companies,
      coalesce(sum(h.position - coalesce(c.position, 0)), 0)::bigint as events_behind
    from ${headsWithCheckpoints({ name, version })}`.execute(db)
  return rows[0]!
}

async function oldestSeconds(db: LedgerDb, name: string, version: number) {
  const { rows } = await sql<{ seconds: number | null }>`
    select greatest(0, extract(epoch from clock_timestamp() - min(e.recorded_at)))::integer as seconds
    from ${headsWithCheckpoints({ name, version })}
    join events e on e.company_id = h.company_id and e.position = coalesce(c.position, 0) + 1
    where h.position > coalesce(c.position, 0)`.execute(db)
  return rows[0]?.seconds ?? null
}

/** How far recorded times and the database's clock are ahead. */
interface TimesAhead {
  /** Companies whose last event is ahead of the database's clock. */
  companies: number
  /** How far the furthest one is ahead, in seconds; 0 if none is. */
  seconds: number
  /**
   * How far the database's clock is ahead of this machine's, in seconds, without the duration of the query; negative if
   * it is behind.
   */
  clockSeconds: number
}

/** Counts recorded times that are in the future, and compares the clocks. */
export async function readTimesAhead(pool: Pool): Promise<TimesAhead> {
  const before = Date.now()
  const { rows } = await sql<{ companies: number; seconds: number; now: string }>`
    select count(*) filter (where recorded_at > clock_timestamp())::integer as companies,
      greatest(0, coalesce(extract(epoch from max(recorded_at) - clock_timestamp()), 0))::double precision as seconds,
      clock_timestamp() as now
    from heads`.execute(openDatabase(pool))
  const { now, ...ahead } = rows[0]!
  const clock = Date.parse(now)
  return { ...ahead, clockSeconds: (Math.max(clock - Date.now(), 0) - Math.max(before - clock, 0)) / 1_000 }
}

/** A company in which a projection lags behind. */
interface LaggingCompany {
  company_id: string
  events: number
  /** How long the oldest unfolded event has been in the ledger. */
  seconds: number
}

/** The companies with the most unfolded events, the worst first. */
export async function readWorstCompanies(
  pool: Pool,
  { name, version }: Version,
  limit: number,
): Promise<LaggingCompany[]> {
  const { rows } = await sql<LaggingCompany>`
    select o.company_id, o.events,
      greatest(0, extract(epoch from clock_timestamp() - e.recorded_at))::double precision as seconds
    from (
      select h.company_id, (h.position - coalesce(c.position, 0))::bigint as events, coalesce(c.position, 0) + 1 as next
      from ${headsWithCheckpoints({ name, version })}
      where h.position > coalesce(c.position, 0) order by 2 desc, 1 limit ${limit}
    ) o join events e on e.company_id = o.company_id and e.position = o.next order by o.events desc`.execute(
    openDatabase(pool),
  )
  return rows.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id) }))
}

async function readParked(db: LedgerDb, name: string, version: number): Promise<ProjectionStanding['parked']> {
  const rows = await db
    .selectFrom('checkpoints')
    .select(['company_id', 'position', 'parked_at', 'error'])
    .where('projection', '=', name)
    .where('version', '=', version)
    .where('parked_at', 'is not', null)
    .orderBy('parked_at')
    .limit(SHOWN_PARKED)
    .execute()
  return rows.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id), parked_at: row.parked_at! }))
}

/** The name under which a rebuild folds beside the live tables. Its checkpoints show the progress. */
export function shadowNameOf(projection: string): string {
  return `${projection}-next`
}

async function readRebuild(db: LedgerDb, name: string, version: number) {
  const { rows } = await sql<{ events: number; of: number }>`
    select coalesce(sum(c.position), 0)::bigint as events, coalesce(sum(h.position), 0)::bigint as of
    from ${headsWithCheckpoints({ name: shadowNameOf(name), version })}`.execute(db)
  return rows[0]!
}

/** The number of jobs in a queue, across all companies. */
export interface QueueDepth {
  name: string
  /** Not started, including jobs scheduled for later. */
  waiting: number
  active: number
}

/** Reports how far the projections of a company are, and resumes parked ones. Implemented by the workers. */
export interface SystemHealth {
  report(companyId: string): Promise<CompanyStanding[]>
  /** Resumes a parked company. Returns false if it was not parked or there is no such projection. */
  resume(companyId: string, projection: string): Promise<boolean>
}

/** A witness that does not cosign the checkpoints of some companies, for one kind of reason. */
interface FailingWitness {
  /** The name and the id of its key. */
  witness: string
  fault: WitnessFault
  companies: number
  /** Since when, RFC 3339 UTC. */
  since: string
  /** One of the companies, and what is wrong there. */
  company_id: string
  error: string
}

/** Reads which witnesses fail, in all companies. */
export async function readFailingWitnesses(pool: Pool): Promise<FailingWitness[]> {
  const { rows } = await sql<FailingWitness>`
    select witness, fault, count(*)::integer as companies, min(failing_since) as since,
      (array_agg(company_id::text order by failing_since))[1] as company_id,
      (array_agg(error order by failing_since))[1] as error
    from witness_progress where fault is not null group by witness, fault`.execute(openDatabase(pool))
  return rows.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id) }))
}
