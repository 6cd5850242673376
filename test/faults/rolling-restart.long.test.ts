import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../support/eventually.ts'
import { oracle } from './oracle/oracle.ts'
import { openStage } from './stage.ts'
import { startLoad } from './workload.ts'

/*
 * A deploy by turns: three API processes and three workers on one database, each ended by SIGTERM and started again while
 * calls arrive. What is asserted: every answer is definite, none is 5xx; a call that a process gave no answer to, since it
 * could not be reached, is sent again with the same idempotency key, as a balancer does, and answered in the end; and the
 * oracle finds nothing wrong.
 */

const CLIENTS = 8
const COMPANIES = 3
const SEED = 7
/** The calls of a few clients between two restarts. */
const BETWEEN_MS = 300

const stage = await openStage({ apis: 3, workers: 3 })
t.teardown(() => stage.cleanup.run())

await t.test('each of three API processes and three workers is restarted in turn, and no call fails', async (t) => {
  const companies = await stage.makeCompanies(COMPANIES)
  const ids = companies.map(({ companyId }) => companyId)
  const load = startLoad(
    stage.apis.map(({ address }) => address),
    companies,
    { clients: CLIENTS, seed: SEED },
  )
  await pause(BETWEEN_MS)
  for (const part of [...stage.apis, ...stage.workers]) {
    const starts = part.starts()
    const ending = part.child()
    await part.restart('SIGTERM')
    t.equal(ending.exitCode, 0, 'it ends in order, and is not cut off')
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
    'whoever was answered got what the call came to',
  )
  t.ok(await stage.settled(ids), 'the projections have caught up')
  t.same(await stage.withDatabase((db) => oracle(db, ids, operations)), [])
})
