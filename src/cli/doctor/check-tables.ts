import { sql } from 'kysely'
import type { Pool } from 'pg'
import { findUnguardedTables } from '#ledger/audit/unguarded-tables'
import { readStanding, readTimesAhead, readFailingWitnesses } from '#ledger/read/read-standings'
import type { LedgerDb } from '#ledger/tables'
import { fail, ok, warn, type Finding } from './finding.ts'
import { BACKGROUND_WORK } from '#domain/attention-kinds'
import { summarizeFailingWork } from '#ledger/background/failing-work'
import { readWitnesses } from '#bootstrap/witnesses'
import type { Config } from '#config'
import { errorReason, StartupError } from '#postgres/startup-error'
import { findMailServer } from '#bootstrap/mail'
import { findConfiguredSecretBox } from '#bootstrap/keys'
import { openSmtpSession, SmtpError } from '#delivery/mail/smtp'

const LATE_SECONDS = 60
/** How many missing things are named. */
const NAMED_MISSING = 3
/** Tolerates the clock corrections of NTP. */
const AHEAD_SECONDS = 2
const MIGRATE = 'run `npm run --silent cli -- migrate` with MIGRATE_DATABASE_URL set to the owner'

/** Checks the role of the service, and that it cannot change events. */
export async function checkPrivileges(db: LedgerDb): Promise<Finding[]> {
  const { rows } = await sql<Rights>`
    select current_user as role, (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
      pg_has_role(c.relowner, 'member') as owns,
      array(select p from unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) p where has_table_privilege(c.oid, p)) as may
    from pg_class c where c.oid = 'public.events'::regclass`.execute(db)
  const { role, is_superuser: isSuperuser, owns, may } = rows[0]!
  const guarded = (await findUnguardedTables(db)).length === 0
  const twoRoles =
    'use a separate role in DATABASE_URL, and the owner in MIGRATE_DATABASE_URL ' +
    '(docs/deployment.md, “On your own PostgreSQL”)'
  return [
    isSuperuser || owns
      ? warn(
          'role',
          `${role} ${isSuperuser ? 'is a superuser' : 'owns the tables'}; only a trigger protects events from ` +
            'changes, and this role can drop it',
          twoRoles,
        )
      : may.length > 0
        ? fail(
            'role',
            `${role} may ${may.join(', ')} events`,
            `as the owner, run: revoke ${may.join(', ')} on events from ${role}`,
          )
        : ok('role', `${role} may only insert and read events`),
    guarded
      ? ok('append-only', 'triggers reject changes to events')
      : fail(
          'append-only',
          'a trigger that rejects changes to events is missing or disabled',
          'find out who changed it; as the owner, run: alter table events enable trigger user',
        ),
  ]
}

interface Rights {
  role: string
  is_superuser: boolean
  owns: boolean
  may: string[]
}

/** Checks for events with times ahead of the database clock, which was set back after it recorded them. */
export async function checkRecordedTimes(pool: Pool): Promise<Finding> {
  const check = 'recorded times'
  const { companies, seconds } = await readTimesAhead(pool)
  if (seconds <= AHEAD_SECONDS) return ok(check, 'no event is ahead of the database clock')
  const who = companies === 1 ? '1 company has' : `${companies} companies have`
  const summary =
    `${who} events recorded up to ${Math.round(seconds)} s ahead of the database clock; ` +
    'until the clock catches up, new events get the same time'
  return fail(check, summary, 'see docs/operations.md, “RecordedTimeAhead”')
}

/** The finding about the database schema, which lacks these, and which a newer version may have migrated. */
export function migrationFinding(missing: string[], isNewer: boolean): Finding {
  if (missing.length === 0)
    return isNewer
      ? warn(
          'migrations',
          'a newer version has migrated the database, which has all that this version needs',
          'finish the deployment of the newer version (docs/deployment.md, “Deploying a new version”)',
        )
      : ok('migrations', 'the database schema is up to date')
  const more = missing.length > NAMED_MISSING ? ` and ${missing.length - NAMED_MISSING} more` : ''
  const lacks = `${missing.slice(0, NAMED_MISSING).join(', ')}${more}`
  return fail('migrations', `the database is not set up for this version: it lacks ${lacks}`, MIGRATE)
}

/** Checks that a projection is complete, not parked, and not behind. */
export async function checkProjection(pool: Pool, projection: { name: string; version: number }): Promise<Finding> {
  const check = `projection ${projection.name}`
  const {
    parked_companies: parked,
    lagging,
    events_behind: events,
    seconds_behind: seconds,
    is_complete: isComplete,
  } = await readStanding(pool, projection)
  if (parked > 0)
    return warn(
      check,
      `${parked} ${parked === 1 ? 'company is' : 'companies are'} parked`,
      'find the reason with `projections list`, fix it, then run `projections resume`',
    )
  if (!isComplete)
    return warn(
      check,
      `version ${projection.version} is still being built`,
      'run workers of this version and wait; see the progress with `projections list`',
    )
  if ((seconds ?? 0) > LATE_SECONDS)
    return warn(
      check,
      `${events} events behind in ${lagging} ${lagging === 1 ? 'company' : 'companies'}, the oldest for ${seconds} s`,
      'check that workers are running and can reach the database',
    )
  return ok(check, events === 0 ? 'up to date' : `${events} events behind, the oldest for ${seconds ?? 0} s`)
}

/** Checks that no background work fails. One finding for each kind that does, or one for all of them. */
export async function checkWork(pool: Pool): Promise<Finding[]> {
  const failing = await summarizeFailingWork(pool)
  if (failing.length === 0) return [ok('background work', 'none fails')]
  return failing.map(({ work, companies, since, company_id: companyId, error }) => {
    const whose = companies === 1 ? ` for ${companyId}` : ` for ${companies} companies, for example ${companyId}`
    const what = `${BACKGROUND_WORK[work]}${companyId === null ? '' : whose}`
    const summary = `the service can't ${what}, since ${since}: ${error}`
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
    if (error instanceof StartupError) return fail(check, error.message, 'no process starts without them; set the keys')
    if (!(error instanceof SmtpError)) throw error
    return fail(check, `the SMTP server: ${error.message}`, 'check SMTP_URL (docs/operations.md, “Email”)')
  }
}
