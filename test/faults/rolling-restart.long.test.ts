import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { oracle } from './oracle/oracle.ts'
import { openStage } from './stage.ts'
import { SHORT_REST_MS, startLoad } from './workload.ts'

/*
 * A rolling deploy: two API processes and two workers on one database, each stopped by SIGTERM and started again
 * while calls arrive. Every answer is definite and none is 5xx; a call that could not reach its process is sent again
 * with the same idempotency key, as by a load balancer, and gets its answer; and the oracle finds nothing wrong.
 */

const CLIENTS = 8
const COMPANIES = 3
const SEED = 7
/** How long a few clients make calls between two restarts, in milliseconds. */
const BETWEEN_MS = 300

const stage = await openStage()
t.teardown(() => stage.cleanup.run())

await t.test('two API processes and two workers restart in turn, and no call fails', async (t) => {
  const companies = await stage.makeCompanies(COMPANIES)
  const ids = companies.map(({ companyId }) => companyId)
  const load = startLoad(
    stage.apis.map(({ address }) => address),
    companies,
    { clients: CLIENTS, seed: SEED, restMs: SHORT_REST_MS },
  )
  await pause(BETWEEN_MS)
  for (const part of [...stage.apis, ...stage.workers]) {
    const starts = part.starts()
    const ending = part.child()
    await part.restart('SIGTERM')
    t.equal(ending.exitCode, 0, 'it stops cleanly')
    await eventually('it is started again', async () => part.starts() === starts + 1)
    await part.ready()
    await pause(BETWEEN_MS)
  }
  await load.end()
  const { operations } = load
  t.ok(operations.length > CLIENTS)
  t.same(
    operations.filter(({ final }) => final === null).map(({ id }) => id),
    [],
    'every call was answered in the end',
  )
  const answers = operations
    .flatMap(({ attempts }) => attempts.map(({ status }) => status))
    .filter((status) => status !== null)
  t.strictSame(
    answers.filter((status) => status >= 500),
    [],
    'every answer was definite',
  )
  t.ok(await stage.settled(ids), 'the projections have caught up')
  t.same(await stage.withDatabase((db) => oracle(db, ids, operations)), [])
})
