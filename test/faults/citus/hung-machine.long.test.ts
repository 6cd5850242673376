import pg from 'pg'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'
import { machineOfCompany } from '../../support/postgres/machine-of-company.ts'
import { parentOf, signalServer } from '../../support/postgres/signal-server.ts'
import { employee, startService } from '../../support/service.ts'
import type { TestCompany } from '../../support/service.ts'

/* One machine of a cluster hangs: stopped processes keep their connections and answer nothing. */

const COMPANIES = 24

const onCitus = CITUS_URL === undefined ? { skip: 'CITUS_URL names no Citus cluster' } : {}

await t.test('only the companies of a machine that hangs notice', onCitus, async (t) => {
  const service = await startService(t)
  const { machine, hung, healthy } = await makeCompanies()
  const [one] = hung as [TestCompany]
  const create = ({ key }: TestCompany) => service.call('POST', '/v1/employees', { key, body: employee() })
  const look = ({ key }: TestCompany) => service.call('GET', '/v1/employees/emp_01h455vb4pex5vsknk084sn02q', { key })
  t.equal((await create(one)).status, 201)

  await whileHung(machine, async () => {
    const waiting = hung.flatMap((company) => [create(company), look(company)])
    const left = new Set(waiting)
    for (const answer of waiting) void answer.then(() => left.delete(answer))
    while (left.size > 0) {
      t.equal((await create(healthy)).status, 201)
      t.equal((await look(healthy)).status, 404)
    }
    for (const answer of await Promise.all(waiting))
      t.match(answer, { status: 503, headers: { 'retry-after': /^\d+$/ } })
  })
  await eventually('it is used again', async () => (await create(one)).status === 201)
  t.equal((await look(one)).status, 404)

  /** Makes more companies on one machine than the process has connections, and one elsewhere. */
  async function makeCompanies() {
    const machine = await machineOfCompany(service.pool, service.company.id)
    const [hung, elsewhere] = [[service.company], [] as TestCompany[]]
    while (hung.length < COMPANIES || elsewhere.length === 0) {
      const company = await service.makeCompany('Other')
      const isThere = (await machineOfCompany(service.pool, company.id)) === machine
      ;(isThere ? hung : elsewhere).push(company)
    }
    return { machine, hung, healthy: elsewhere[0]! }
  }
})

/** Stops all processes of a machine's server until a task is done. */
async function whileHung(machine: string, task: () => Promise<void>): Promise<void> {
  const postmaster = await postmasterOf(machine)
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
