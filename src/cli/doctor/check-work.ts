import type { Pool } from 'pg'
import { BACKGROUND_WORK } from '#domain/background-work'
import { summarizeFailingWork } from '#ledger/background/failing-work'
import { fail, ok, warn, type Finding } from './finding.ts'
import { readWitnesses } from '#bootstrap/witnesses'
import type { Config } from '../../config.ts'
import { readFailingWitnesses } from '#ledger/read/read-witnesses'
import { errorReason, StartupError } from '#postgres/startup-error'
import { findMailServer } from '#bootstrap/mail'
import { findConfiguredSecretBox } from '#bootstrap/secrets'
import { openSmtpSession, SmtpError } from '#delivery/mail/smtp'

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

/** Checks that the SMTP server can be reached, and accepts the credentials. Sends nothing. */
export async function checkMail(config: Config): Promise<Finding> {
  const check = 'email'
  try {
    const server = findMailServer(config, await findConfiguredSecretBox(config))
    if (!server) return ok(check, 'none is sent')
    const session = await openSmtpSession(server)
    session.close()
    const accepts = server.credentials === null ? 'answers' : 'accepts the credentials'
    return ok(check, `the server ${server.host}:${server.port} ${accepts}`)
  } catch (error) {
    if (error instanceof StartupError) return fail(check, error.message, 'no process starts like this; set the keys')
    if (!(error instanceof SmtpError)) throw error
    return fail(check, `the SMTP server: ${error.message}`, 'check SMTP_URL (docs/operations.md, “Email”)')
  }
}
