import type { Pool } from 'pg'
import { readFailingWitnesses } from '../../ledger/read/read-witnesses.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const CHECK = 'witnesses'

/** Checks that the configured witnesses, if any, cosign checkpoints, and that none disputes a ledger. */
export async function checkWitnesses(pool: Pool, count: number): Promise<Finding[]> {
  if (count === 0) return []
  const failing = await readFailingWitnesses(pool)
  if (failing.length === 0) return [ok(CHECK, `${count} configured, none fails`)]
  return failing.map(({ witness, fault, companies, since, company_id: companyId, error }) => {
    const what = fault === 'unavailable' ? 'has not cosigned' : 'disputes'
    const ledgers = companies === 1 ? `the ledger of ${companyId}` : `${companies} ledgers, for example of ${companyId}`
    const summary = `${witness} ${what} ${ledgers}, since ${since}: ${error}`
    return fault === 'unavailable'
      ? warn(
          CHECK,
          summary,
          'check WITNESS_URLS, and that the witness knows the keys (docs/operations.md, “Witnesses”)',
        )
      : fail(CHECK, summary, 'see docs/operations.md, “LedgerDisputed”')
  })
}
