import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { fromUuid } from '#domain/ids'
import { pageHeads } from '#ledger/read/read-head'
import { readProgress } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { UnfoldableError } from './project.ts'
import { foldBesideLive, SCRATCH, withScratch, type FoldHooks, type Scratch } from './scratch.ts'
import { findDifferences, type RowDifference } from './table-differences.ts'

/** Differences listed per company and table; more are only counted. */
const SHOWN_ROWS = 10
/** The number of companies with differences after which the search stops. */
const MAX_COMPANIES = 100
/** The time to wait for the live tables to reach the head before a second comparison. */
const HEAD_WAIT_MS = 10_000
const HEAD_POLL_MS = 100

interface VerifyOptions extends FoldHooks {
  /** Only this company. */
  companyId?: string
  /** Includes the values that differ, which are personal data. */
  showValues: boolean
  onBegun(events: number): void
}

/** The fault of a company: rows that differ, or a ledger that cannot be folded. */
export interface CompanyFault {
  companyId: string
  /** The reason why its events cannot be folded; nothing was compared then. */
  unfoldable?: string
  /** The number of rows that differ, and some of them. */
  rows: number
  differences: RowDifference[]
}

export interface Verification {
  companies: number
  faults: CompanyFault[]
  /** False if it stopped because too many companies have differences. */
  isComplete: boolean
}

/**
 * Rebuilds a projection in scratch tables and compares them with the live tables, company by company, at the position
 * of the live tables. The service may keep running. Requires the right to create temporary tables.
 */
export async function verifyProjection(
  db: LedgerDb,
  projection: Projection,
  options: VerifyOptions,
): Promise<Verification> {
  options.onBegun(await countEventsToVerify(db, projection, options.companyId))
  return withScratch(db, projection, async (scratch) => {
    const verification: Verification = { companies: 0, faults: [], isComplete: true }
    const companies = options.companyId === undefined ? pageHeads(db) : [{ companyId: options.companyId }]
    for await (const { companyId } of companies) {
      const fault = await verifyCompany(db, scratch, companyId, options)
      verification.companies += 1
      if (fault) verification.faults.push(fault)
      if (verification.faults.length >= MAX_COMPANIES) return { ...verification, isComplete: false }
    }
    if (options.companyId !== undefined) return verification
    return { ...verification, faults: [...verification.faults, ...(await findOrphanRows(db, scratch))] }
  })
}

/**
 * Compares a second time if the first finds differences: an erasure or the switch of a rebuild may fall between two
 * reads, but neither lasts long.
 */
async function verifyCompany(
  db: LedgerDb,
  scratch: Scratch,
  companyId: string,
  options: VerifyOptions,
): Promise<CompanyFault | null> {
  const first = await compareTables(scratch, companyId, options)
  if (!first) return null
  const deadline = performance.now() + HEAD_WAIT_MS
  const { head } = await readProgress(db, companyId, scratch.projection)
  while ((await readProgress(db, companyId, scratch.projection)).reached < head && performance.now() < deadline) {
    options.signal.throwIfAborted()
    await pause(HEAD_POLL_MS)
  }
  return compareTables(scratch, companyId, { ...options, onFolded: () => undefined })
}

async function compareTables(
  scratch: Scratch,
  companyId: string,
  options: VerifyOptions,
): Promise<CompanyFault | null> {
  const { projection, db, tables } = scratch
  const copies = { live: schemaOf(projection), scratch: SCRATCH }
  const reached = async (from: LedgerDb) => (await readProgress(from, companyId, projection)).reached
  try {
    return await foldBesideLive(scratch, companyId, {
      ...options,
      upTo: () => reached(db),
      isolation: 'repeatable read',
      hold: reached,
      task: async (snapshot) => {
        const differences: RowDifference[] = []
        let rows = 0
        for (const table of tables) {
          const limit = { limit: SHOWN_ROWS, showValues: options.showValues }
          const { count, first } = await findDifferences(snapshot, copies, table, companyId, limit)
          rows += count
          for (const difference of first) differences.push(difference)
        }
        return rows === 0 ? null : { companyId, rows, differences }
      },
    })
  } catch (error) {
    if (!(error instanceof UnfoldableError)) throw error
    return { companyId, unfoldable: error.message, rows: 0, differences: [] }
  }
}

/** Rows of companies that are not in the ledger. */
async function findOrphanRows(db: LedgerDb, { projection, tables }: Scratch) {
  const faults: CompanyFault[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ company_id: string; count: number }>`
      select company_id, count(*) as count from ${sql.id(schemaOf(projection), name)} l
      where not exists (select 1 from heads h where h.company_id = l.company_id)
      group by company_id order by company_id limit ${SHOWN_ROWS}`.execute(db)
    for (const { company_id: company, count } of rows) {
      const difference: RowDifference = { table: name, kind: 'extra', key: {}, columns: [] }
      faults.push({ companyId: fromUuid('com', company), rows: count, differences: [difference] })
    }
  }
  return faults
}

async function countEventsToVerify(db: LedgerDb, { name, version }: Projection, companyId?: string) {
  if (companyId !== undefined) return (await readProgress(db, companyId, { name, version })).reached
  const { rows } = await sql<{ events: number }>`select coalesce(sum(position), 0)::bigint as events from checkpoints
    where projection = ${name} and version = ${version}`.execute(db)
  return rows[0]!.events
}
