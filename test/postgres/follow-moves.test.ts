import type { Pool } from 'pg'
import t from 'tap'
import { newId } from '../../src/ledger/new-id.ts'
import { settleOutcome, UnknownOutcomeError } from '../../src/ledger/append/settle-outcome.ts'
import type { Cluster } from '../../src/postgres/cluster/cluster.ts'
import { followMoves } from '../../src/postgres/cluster/company-connections.ts'
import { MachineDownError } from '../../src/postgres/cluster/machine.ts'
import { MovedError, UnconfirmedCommitError } from '../../src/postgres/database-errors.ts'

/* A call finds its company's machine in what the process knows, which may be outdated. */

interface FakeMachine {
  name: string
  isDown: boolean
}

/** A cluster whose refreshes find what `after` holds by then. A refresh is under way if the machine is down. */
function fakeCluster(machine: FakeMachine, after = machine) {
  let [known, refreshes] = [machine, 0]
  const pendingRefresh = async () => {
    known = after
  }
  const refresh = async () => {
    refreshes += 1
    known = after
  }
  const cluster = { find: () => ({ machine: known }), refresh, pendingRefresh } as unknown as Cluster
  return { cluster, refreshes: () => refreshes }
}

const first = () => ({ name: 'first', isDown: false })
const second = { name: 'second', isDown: false }
const lost = new MachineDownError('first')

/** Fails on the first machine with this error. */
const taskOn =
  ({ cluster }: { cluster: Cluster }, error: Error) =>
  async () => {
    const { machine } = cluster.find('') as unknown as { machine: FakeMachine }
    if (machine.name === 'first') throw error
    return machine.name
  }

await t.test('a call whose machine was removed reaches the one that has the company now', async (t) => {
  const unavailable = new Error('the ledger could not be written', { cause: lost })
  for (const error of [lost, unavailable, new Error('Cannot use a pool after calling end on the pool')]) {
    const moved = fakeCluster(first(), second)
    t.equal(await followMoves(moved.cluster, '', taskOn(moved, error)), 'second', error.message)
  }
})

await t.test('a call whose machine does not answer fails at once, if the company is still there', async (t) => {
  const stays = fakeCluster(first())
  await t.rejects(followMoves(stays.cluster, '', taskOn(stays, lost)), lost)
  t.equal(stays.refreshes(), 1)
})

await t.test('calls to a machine that is known to be down ask the cluster nothing new', async (t) => {
  const down = fakeCluster({ ...first(), isDown: true })
  await t.rejects(followMoves(down.cluster, '', taskOn(down, lost)), lost)
  t.equal(down.refreshes(), 0)
  const replaced = fakeCluster({ ...first(), isDown: true }, second)
  t.equal(await followMoves(replaced.cluster, '', taskOn(replaced, lost)), 'second')
  t.equal(replaced.refreshes(), 0)
})

await t.test('a transaction that may have committed is not sent again, whatever its machine says then', async (t) => {
  const down = { connect: () => Promise.reject(lost) } as unknown as Pool
  const event = { companyId: newId('com'), header: { position: 1 }, leaf: Buffer.alloc(32) }
  const settle = () => settleOutcome(down, new UnknownOutcomeError('done', event, lost))
  const unavailable = await settle().catch((error: unknown) => error as Error)
  for (const error of [unavailable as Error, new Error('not counted', { cause: new UnconfirmedCommitError(lost) })]) {
    const moved = fakeCluster(first(), second)
    await t.rejects(followMoves(moved.cluster, '', taskOn(moved, error)), error)
  }
})

await t.test('a failed refresh does not hide why a call failed', async (t) => {
  const machine = first()
  const cluster = {
    find: () => ({ machine }),
    refresh: () => Promise.reject(new Error('the coordinator does not answer')),
  } as unknown as Cluster
  await t.rejects(
    followMoves(cluster, '', () => Promise.reject(lost)),
    lost,
  )
  const movedOn = new MovedError('the shard has moved')
  await t.rejects(
    followMoves(cluster, '', () => Promise.reject(movedOn)),
    movedOn,
  )
})

await t.test('a call looks again if the machine of its company is not known yet', async (t) => {
  let isKnown = false
  const find = () => {
    if (!isKnown) throw new MovedError('the machine is not known')
    return { machine: second }
  }
  const refresh = async () => {
    isKnown = true
  }
  const cluster = { find, refresh } as unknown as Cluster
  t.equal(await followMoves(cluster, '', async () => cluster.find('').machine.name), 'second')
})
