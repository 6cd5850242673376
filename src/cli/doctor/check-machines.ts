import type { Client } from 'pg'
import type { LedgerDb } from '#ledger/tables'
import { MACHINE_CONNECTIONS } from '#postgres/connections'
import { errorReason } from '#postgres/startup-error'
import { isLeftOver, listMachines, onMachine, type MachineAddress } from '#postgres/machine-address'
import { diskFinding } from './check-host.ts'
import { fail, ok, type Finding } from './finding.ts'

const CLOCK_SECONDS = 2
const MIGRATE = 'run `npm run --silent cli -- migrate`'
/** How many leftover transactions are read of each machine. */
const LEFT_OVER = 1_000

/** What a machine says of itself, as the service's role. */
interface Facts {
  version: string
  citus: string | null
  fsync: string
  pages: string
  commit: string
  checksums: string
  connections: number
  prepared: number
  /** Its clock minus that of this process, within the duration of the query. */
  clockMs: number
  /** Bytes of its data disk. */
  free: number
  total: number
  /** The names of transactions that a crash has left. */
  leftOver: string[]
}

type MachineAnswer = { machine: MachineAddress } & ({ facts: Facts } | { reason: string })

/**
 * Checks every machine of a Citus cluster. None of them is believed to be like the coordinator, and one that does not
 * answer hides no other.
 */
export async function checkMachines(
  db: LedgerDb,
  serviceUrl: string,
  needed: { api: number; worker: number },
  leftAfterSeconds?: number,
): Promise<Finding[]> {
  const machines = await listMachines(db, serviceUrl)
  const answers = await Promise.all(machines.map((machine) => askMachine(machine, leftAfterSeconds)))
  const coordinator = answers.find(({ machine }) => machine.group === 0)
  const first = coordinator && 'facts' in coordinator ? coordinator.facts : null
  const connections = needed.api + needed.worker + 2 * MACHINE_CONNECTIONS
  return answers.flatMap((answer) => findingsOf(answer, first, connections, machines))
}

async function askMachine(machine: MachineAddress, leftAfterSeconds?: number): Promise<MachineAnswer> {
  try {
    const read = (client: Client) => readFacts(client, leftAfterSeconds)
    return { machine, facts: await onMachine(machine, 'employee-ledger doctor', read) }
  } catch (error) {
    return { machine, reason: errorReason(error) }
  }
}

async function readFacts(client: Client, leftAfterSeconds?: number): Promise<Facts> {
  const before = Date.now()
  const { rows } = await client.query<Facts & { clock: number }>(`
    select current_setting('server_version') as version,
      (select extversion from pg_extension where extname = 'citus') as citus, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit,
      current_setting('data_checksums') as checksums,
      current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer as connections,
      current_setting('max_prepared_transactions')::integer as prepared,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
      (select available_disk_size::float8 from citus_local_disk_space_stats()) as free,
      (select total_disk_size::float8 from citus_local_disk_space_stats()) as total,
      array(select gid from pg_prepared_xacts where ${isLeftOver(leftAfterSeconds)} order by prepared
        limit ${LEFT_OVER}) as "leftOver"`)
  const after = Date.now()
  const { clock, ...facts } = rows[0]!
  return { ...facts, clockMs: Math.max(clock - after, 0) - Math.max(before - clock, 0) }
}

function findingsOf(
  answer: MachineAnswer,
  coordinator: Facts | null,
  connections: number,
  machines: MachineAddress[],
): Finding[] {
  const check = `machine ${answer.machine.name}`
  if ('reason' in answer)
    return [
      fail(
        check,
        `it does not answer (${answer.reason}); its companies get 503`,
        'start it, or promote its standby (docs/citus.md, “Losing a machine”)',
      ),
    ]
  const { facts } = answer
  const faults = [
    ...findDurability(check, facts),
    ...findCapacity(check, facts, connections),
    ...findDifferences(check, facts, coordinator),
    ...findLeftOver(check, facts, machines),
  ]
  if (faults.length > 0) return faults
  const gib = (facts.free / 1024 ** 3).toFixed(1)
  return [ok(check, `PostgreSQL ${facts.version}, Citus ${facts.citus}, durable, ${gib} GiB free`)]
}

function* findDurability(check: string, { fsync, pages, commit, checksums }: Facts): Generator<Finding> {
  for (const [name, value] of Object.entries({ fsync, full_page_writes: pages }))
    if (value === 'off')
      yield fail(
        check,
        `${name} is off; a crash can corrupt the ledger`,
        `set ${name} = on in postgresql.conf, and reload`,
      )
  if (commit === 'off')
    yield fail(check, 'synchronous_commit is off for the service; a crash can lose acknowledged calls', MIGRATE)
  if (checksums === 'off')
    yield fail(check, 'data checksums are off', 'stop this PostgreSQL and run pg_checksums --enable')
}

function* findCapacity(check: string, facts: Facts, needed: number): Generator<Finding> {
  const { connections, prepared } = facts
  if (connections < needed) {
    const found = `it allows ${connections} connections; an API process and a worker open up to ${needed}`
    yield fail(check, found, 'raise max_connections')
  }
  if (prepared < connections) {
    const found = `max_prepared_transactions is ${prepared}, less than its connections`
    yield fail(check, found, 'set it to at least max_connections, and restart')
  }
  const disk = diskFinding('its data folder', facts, 'every write to it')
  if (disk.level !== 'ok') yield { ...disk, check }
}

function* findDifferences(check: string, facts: Facts, coordinator: Facts | null): Generator<Finding> {
  if (coordinator === null) return
  const [own, its] = [facts, coordinator].map(
    ({ version, citus }) => `PostgreSQL ${version.split('.')[0]}, Citus ${citus}`,
  )
  if (own !== its) {
    const advice = 'upgrade all machines, and run `alter extension citus update` on each'
    yield fail(check, `it has ${own}, the coordinator ${its}`, advice)
  }
  const aheadSeconds = Math.round((facts.clockMs - coordinator.clockMs) / 1_000)
  if (Math.abs(aheadSeconds) > CLOCK_SECONDS) {
    const differs = `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`
    yield fail(check, `its clock is ${differs} the coordinator's`, 'synchronize all machines with NTP')
  }
}

/** The machine that began a transaction is in its name, `citus_GROUP_…`, and knows how it ended. */
function* findLeftOver(check: string, { leftOver }: Facts, machines: MachineAddress[]): Generator<Finding> {
  if (leftOver.length === 0) return
  const groups = new Set(leftOver.map((gid) => Number(gid.split('_')[1])))
  const beginners = machines.filter(({ group }) => groups.has(group)).map(({ name }) => name)
  yield fail(
    check,
    `${leftOver.length} prepared transactions left by a crash are older than a minute and hold locks, for example ` +
      `${leftOver[0]}`,
    `as a superuser on ${beginners.join(' and ') || 'the coordinator'}, run: select recover_prepared_transactions()`,
  )
}
