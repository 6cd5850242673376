import type { Pool } from 'pg'
import { buildErasingEvents } from '#domain/erasure'
import { appendCompanyEvents, nextVersion, SCHEDULE } from '#ledger/append/append-company-events'
import { trackWork } from '#ledger/background/failing-work'
import { listCompaniesWithRejectedBefore, findRejectedBefore } from '#ledger/erasure/rejected-records'

/** The maximum number of records per transaction, which locks the head of the company. */
const RECORDS_AT_ONCE = 1_000
/** The maximum number of transactions per run; the next run continues. */
const BATCHES_PER_RUN = 500
const COMPANIES_AT_ONCE = 100

/**
 * Erases refused records and names of files that are older than `days` by the database's clock, oldest first, and appends
 * `RecordsRetired` in the same transaction. 0 days keeps them forever. Safe to run in several processes at once,
 * because records are selected under the lock of the head. Continues with other companies after a failure, and throws
 * all failures at the end. Returns the number of retired records.
 */
export async function retireRecords(pool: Pool, days: number) {
  if (days === 0) return 0
  const failures: unknown[] = []
  const instant = await readInstantDaysAgo(pool, days)
  let [retired, batches, after]: [number, number, string | null] = [0, 0, null]
  while (batches < BATCHES_PER_RUN) {
    const companies = await listCompaniesWithRejectedBefore(pool, instant, { after, limit: COMPANIES_AT_ONCE })
    for (const companyId of companies) {
      for (let count = RECORDS_AT_ONCE; count === RECORDS_AT_ONCE && batches < BATCHES_PER_RUN; batches += 1) {
        const retire = () => retireOldest(pool, companyId, instant)
        count = await trackWork(pool, { companyId, work: 'retention' }, retire).catch((error: unknown) => {
          failures.push(error)
          return 0
        })
        retired += count
      }
    }
    if (companies.length < COMPANIES_AT_ONCE) break
    after = companies.at(-1)!
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `could not retire records of ${failures.length} companies`)
  return retired
}

async function retireOldest(pool: Pool, companyId: string, instant: string): Promise<number> {
  const { result } = await appendCompanyEvents(pool, { companyId, actor: SCHEDULE }, async (client) => {
    const positions = await findRejectedBefore(client, companyId, instant, RECORDS_AT_ONCE)
    if (positions.length === 0) return { events: [], result: 0 }
    const version = await nextVersion(client, companyId, companyId)
    return { events: buildErasingEvents('RecordsRetired', companyId, version, positions), result: positions.length }
  })
  return result
}

async function readInstantDaysAgo(pool: Pool, days: number) {
  const { rows } = await pool.query<{ instant: string }>(
    'select clock_timestamp() - make_interval(days => $1) as instant',
    [days],
  )
  return rows[0]!.instant
}
