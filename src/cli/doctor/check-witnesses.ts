import type { Pool } from 'pg'
import { readWitnesses } from '../../bootstrap/witnesses.ts'
import type { Config } from '../../config.ts'
import { readFailingWitnesses } from '../../ledger/read/read-witnesses.ts'
import { errorReason } from '../../postgres/startup-error.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

const CHECK = 'witnesses'

/** Checks the settings of witnesses. Returns settings without them if they can't be used, for the other checks. */
export function checkWitnessSettings(config: Config): { config: Config; findings: Finding[] } {
  try {
    readWitnesses(config)
    return { config, findings: [] }
  } catch (error) {
    const { WITNESS_URLS: _urls, WITNESS_KEYS: _keys, WITNESS_QUORUM: _quorum, ...without } = config
    const advice = 'correct WITNESS_URLS, WITNESS_KEYS, or WITNESS_QUORUM (docs/operations.md, “Witnesses”)'
    return { config: without, findings: [fail(CHECK, errorReason(error), advice)] }
  }
}

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
