import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { readStanding, readTimesAhead } from '../ledger/read/read-standings.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import type { Finding } from './finding.ts'
import { fail, ok, warn } from './finding.ts'

const LATE_SECONDS = 60
/** How far NTP may set a clock back without notice. */
const AHEAD_SECONDS = 2
const MIGRATE = 'run `npm run --silent cli -- migrate` as the owner'

/** Looks at the role as which the service works, and whether events can be changed. */
export async function checkPrivileges(db: Kysely<LedgerTables>): Promise<Finding[]> {
  const { rows } = await sql<Rights>`
    select current_user as role, (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
      pg_has_role(c.relowner, 'member') as owns,
      array(select p from unnest(array['UPDATE', 'DELETE', 'TRUNCATE']) p where has_table_privilege(c.oid, p)) as may,
      exists (select from pg_trigger where tgrelid = c.oid and tgname = 'events_are_append_only' and tgenabled in ('O', 'A')) as guarded,
      to_regclass('pg_catalog.pg_dist_partition') is not null as has_citus
    from pg_class c where c.oid = 'public.events'::regclass`.execute(db)
  const { role, is_superuser: isSuperuser, owns, may, guarded, has_citus: hasCitus } = rows[0]!
  const twoRoles =
    'serve as a role of its own (docs/deployment.md, “On your own PostgreSQL”), and set MIGRATE_DATABASE_URL for the owner'
  return [
    isSuperuser || owns
      ? warn(
          'role',
          `${role} ${isSuperuser ? 'is a superuser' : 'owns the tables'}: the trigger alone keeps events as they are, and it can be dropped`,
          twoRoles,
        )
      : may.length > 0
        ? fail('role', `${role} may ${may.join(', ')} events`, `revoke ${may.join(', ')} on events from ${role}`)
        : ok('role', `${role} may insert and read events, and no more`),
    guarded
      ? ok('append-only', 'a trigger refuses every change of events')
      : hasCitus && !owns && may.length === 0
        ? ok('append-only', 'the rights of the roles keep events as they are: Citus takes no triggers')
        : fail(
            'append-only',
            'the trigger that refuses changes of events is missing or disabled',
            'find out who did this; as the owner: alter table events enable always trigger events_are_append_only',
          ),
  ]
}

interface Rights {
  role: string
  is_superuser: boolean
  owns: boolean
  may: string[]
  guarded: boolean
  has_citus: boolean
}

/** Whether events were recorded ahead of time, by a database clock that has been set back since. */
export async function checkRecordedTimes(db: Kysely<LedgerTables>): Promise<Finding> {
  const check = 'recorded times'
  const { companies, seconds } = await readTimesAhead(db)
  if (seconds <= AHEAD_SECONDS) return ok(check, "none is ahead of the database's clock")
  const who = companies === 1 ? '1 company has' : `${companies} companies have`
  const found = `${who} events recorded up to ${Math.round(seconds)} s ahead of the database's clock; until then, new events get that same time`
  return fail(check, found, 'see docs/operations.md, “RecordedTimeAhead”')
}

/** Whether the database has what this program needs. */
export function migrationFinding(isSetUp: boolean): Finding {
  if (isSetUp) return ok('migrations', 'the database has all that this program needs')
  return fail('migrations', 'the database lacks something that this program needs', MIGRATE)
}

/** How far a projection is. */
export async function checkProjection(
  db: Kysely<LedgerTables>,
  projection: { name: string; version: number },
): Promise<Finding> {
  const check = `projection ${projection.name}`
  const {
    parked_companies: parked,
    lagging,
    events_behind: events,
    seconds_behind: seconds,
    is_complete: isComplete,
  } = await readStanding(db, projection)
  if (parked > 0)
    return warn(
      check,
      `${parked} ${parked === 1 ? 'company is' : 'companies are'} parked`,
      '`projections list` tells why; mend that, then `projections resume`',
    )
  if (!isComplete)
    return warn(
      check,
      `version ${projection.version} is being filled`,
      'run workers of this version, and wait; `projections list` tells how far it is',
    )
  if ((seconds ?? 0) > LATE_SECONDS)
    return warn(
      check,
      `${events} events of ${lagging} companies behind, the oldest for ${seconds} s`,
      'see that workers run and reach the database',
    )
  return ok(check, events === 0 ? 'current' : `${events} events behind, for ${seconds ?? 0} s`)
}
