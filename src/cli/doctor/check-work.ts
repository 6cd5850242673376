import type { Pool } from 'pg'
import { BACKGROUND_WORK } from '../../domain/background-work.ts'
import { summarizeFailingWork } from '../../ledger/background/failing-work.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** Checks that no background work fails. One finding for each kind that does, or one for all of them. */
export async function checkWork(pool: Pool): Promise<Finding[]> {
  const failing = await summarizeFailingWork(pool)
  if (failing.length === 0) return [ok('background work', 'none fails')]
  return failing.map(({ work, companies, since, company_id: companyId, error }) => {
    const whose = companies === 1 ? ` for ${companyId}` : ` for ${companies} companies, for example ${companyId}`
    const summary = `the service can't ${BACKGROUND_WORK[work]}${companyId === null ? '' : whose}, since ${since}: ${error}`
    return work === 'signing'
      ? fail(work, summary, 'see docs/operations.md, “After a restore” and “LedgerUnsigned”')
      : warn(work, summary, 'see docs/operations.md, “WorkFails”')
  })
}
