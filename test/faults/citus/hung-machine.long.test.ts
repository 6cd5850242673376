import pg from 'pg'
import t from 'tap'
import { clusterOf } from '../../../src/postgres/cluster/company-connections.ts'
import type { Machine } from '../../../src/postgres/cluster/machine.ts'
import { browse } from '../../support/http/sessions.ts'
import { eventually } from '../../support/eventually.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { parentOf, signalServer } from '../../support/postgres/signal-server.ts'
import { employee, send, startService } from '../../support/service.ts'
import type { TestCompany } from '../../support/service.ts'

/* One machine of a cluster hangs: stopped processes keep their connections and answer nothing. */

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('only the companies of a machine that hangs notice', onCitus, async (t) => {
  const service = await startService(t, { SWEEP_INTERVAL_MS: '200' }, { workers: true })
  const cluster = clusterOf(service.pool)!
  const [hung, healthy] = await companiesOnTwoMachines()
  const { machine } = cluster.find(hung.id)
  const create = ({ key }: TestCompany) => service.call('POST', '/v1/employees', { key, body: employee() })
  const look = ({ key }: TestCompany) => service.call('GET', '/v1/employees/emp_01h455vb4pex5vsknk084sn02q', { key })
  t.equal((await create(hung)).status, 201)

  await whileHung(machine, async () => {
    const [written, read] = [create(hung), look(hung)]
    while (!machine.isDown) {
      t.equal((await create(healthy)).status, 201)
      t.equal((await look(healthy)).status, 404)
    }
    for (const answer of [await written, await read, await create(hung), await look(hung)])
      t.match(answer, { status: 503, headers: { 'retry-after': /^\d+$/ } })
    t.equal((await create(healthy)).status, 201)
    t.match(await send(service.address, 'GET', '/readyz', { key: null }), {
      status: 200,
      body: { status: 'ready', unreachable_machines: [machine.name] },
    })
    const signIn = ({ admin: { email, password } }: TestCompany) =>
      browse(service, '/sign-in', { form: { email, password } })
    t.equal((await signIn(healthy)).status, 303)
    t.equal((await signIn(hung)).status, 503)
    const [{ log_id: logId }] = [(await create(healthy)).body as { log_id: string }]
    await eventually('the sweep reaches the others', async () => {
      const path = `/admin/v1/bulk-user-logs/${logId}`
      const headers = { authorization: `Bearer ${healthy.admin.token}` }
      return (await send(service.address, 'GET', path, { key: null, headers })).status === 200
    })
  })
  await eventually('it is used again', async () => (await create(hung)).status === 201)
  t.equal((await look(hung)).status, 404)

  async function companiesOnTwoMachines(): Promise<[TestCompany, TestCompany]> {
    const coordinator = cluster.machines()[0]!
    const first = service.company
    for (;;) {
      const other = await service.makeCompany('Other')
      const [one, two] = [cluster.find(first.id).machine, cluster.find(other.id).machine]
      if (one !== two && one !== coordinator) return [first, other]
    }
  }
})

await t.test('companies are served and folded while the coordinator hangs', onCitus, async (t) => {
  const service = await startService(t, { SWEEP_INTERVAL_MS: '200' }, { workers: true })
  const cluster = clusterOf(service.pool)!
  const [coordinator] = cluster.machines() as [Machine]
  const company = await companyElsewhere()
  const headers = { authorization: `Bearer ${company.admin.token}` }
  const isListed = async (logId: string) =>
    (await send(service.address, 'GET', `/admin/v1/bulk-user-logs/${logId}`, { key: null, headers })).status === 200
  const create = () => service.call('POST', '/v1/employees', { key: company.key, body: employee() })
  await eventually('the read models are complete', async () => await isListed((await create()).body.log_id))
  await whileHung(coordinator, async () => {
    while (!coordinator.isDown) t.equal((await create()).status, 201)
    const { status, body } = await create()
    t.equal(status, 201)
    await eventually('the sweep folds its event', () => isListed(body.log_id))
  })
  await eventually('it is used again', async () => !coordinator.isDown)

  async function companyElsewhere(): Promise<TestCompany> {
    for (let company = service.company; ; company = await service.makeCompany('Other'))
      if (cluster.find(company.id).machine !== coordinator) return company
  }
})

/** Stops all processes of a machine's server until a task is done. */
async function whileHung(machine: Machine, task: () => Promise<void>): Promise<void> {
  const postmaster = await postmasterOf(machine.name)
  const release = () => signalServer(postmaster, 'SIGCONT')
  process.once('exit', release)
  signalServer(postmaster, 'SIGSTOP')
  try {
    await task()
  } finally {
    release()
    process.off('exit', release)
  }
}

/** The server runs on this machine: it is the parent of each of its backends. */
async function postmasterOf(machine: string): Promise<number> {
  const [hostname, port] = machine.split(':') as [string, string]
  const client = new pg.Client({ connectionString: Object.assign(new URL(CITUS_URL!), { hostname, port }).href })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0]!.pid)
  await client.end()
  return postmaster
}
