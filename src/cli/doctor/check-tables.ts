import { sql } from 'kysely'
import type { Pool } from 'pg'
import { findUnguardedTables } from '#ledger/audit/unguarded-tables'
import { readStanding, readTimesAhead } from '#ledger/read/read-standings'
import type { LedgerDb } from '#ledger/tables'
import { fail, ok, warn, type Finding } from './finding.ts'

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
  const summary = `${who} events recorded up to ${Math.round(seconds)} s ahead of the database clock; until the clock catches up, new events get the same time`
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
