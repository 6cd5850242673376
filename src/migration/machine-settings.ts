import type { Kysely } from 'kysely'
import pg from 'pg'
import type { DatabaseUrls } from '#postgres/database-urls'
import { listMachines, onMachine, type MachineAddress } from '#postgres/machine-address'

/*
 * The settings of a session on the coordinator do not reach the sessions that Citus opens on other machines. So the
 * service's role has them as its defaults there: a role may set its own, without the rights of a superuser.
 */

/**
 * A 2xx answer promises durability on every machine, and a session that its coordinator has lost must not hold locks.
 * Settings of the planner are left out, because searches and exports share the role with look-ups.
 */
const SETTINGS: Record<string, string> = {
  synchronous_commit: 'on',
  jit: 'off',
  lock_timeout: '10s',
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
}
const WANTED = Object.entries(SETTINGS).map(([name, value]) => `${name}=${value}`)

interface SettingStep {
  line: string
  run(): Promise<void>
}

/** The steps that give the service's role its defaults on the machines that lack them and answer. */
export async function machineSettingsLeft(db: Kysely<unknown>, urls: DatabaseUrls): Promise<SettingStep[]> {
  const machines = await listMachines(db, urls.serviceUrl)
  const steps = await Promise.all(machines.map((machine) => stepOf(machine).catch(() => null)))
  return steps.filter((step) => step !== null)
}

async function stepOf(machine: MachineAddress): Promise<SettingStep | null> {
  const missing = await onMachine(machine, 'employee-ledger migrate', async (client) => {
    const { rows } = await client.query<{ settings: string[] }>(
      `select coalesce((select setconfig from pg_db_role_setting where setrole = current_user::regrole
        and setdatabase = (select oid from pg_database where datname = current_database())), '{}') as settings`,
    )
    return WANTED.filter((setting) => !rows[0]!.settings.includes(setting))
  })
  if (missing.length === 0) return null
  return {
    line: `machine ${machine.name}: defaults of the service's role (${missing.join(', ')})`,
    run: () => onMachine(machine, 'employee-ledger migrate', setDefaults),
  }
}

async function setDefaults(client: pg.Client) {
  // Citus would pass it on to all machines, and fail while one does not answer.
  await client.query('set citus.enable_ddl_propagation = off')
  await client.query('set citus.enable_alter_role_set_propagation = off')
  const { rows } = await client.query<{ database: string }>('select current_database() as database')
  const target = `alter role current_user in database ${pg.escapeIdentifier(rows[0]!.database)}`
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`${target} set ${name} = '${value}'`)
}
