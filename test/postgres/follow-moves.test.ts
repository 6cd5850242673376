import t from 'tap'
import type { Cluster } from '../../src/postgres/cluster/cluster.ts'
import { followMoves } from '../../src/postgres/cluster/company-connections.ts'
import { MachineDownError } from '../../src/postgres/cluster/machine.ts'
import { MovedError } from '../../src/postgres/database-errors.ts'

/* A call finds its company's machine in what the process knows, which may be outdated. */

interface FakeMachine {
  name: string
  isDown: boolean
}

/** A cluster whose looks find what `after` holds by then. */
function fakeCluster(machine: FakeMachine, after = machine) {
  let [known, looks] = [machine, 0]
  const look = async () => {
    looks += 1
    known = after
  }
  const cluster = { find: () => ({ machine: known }), look, looked: async () => undefined } as unknown as Cluster
  return { cluster, looks: () => looks }
}

const first = () => ({ name: 'first', isDown: false })
const second = { name: 'second', isDown: false }
const isLost = new MachineDownError('first')

/** Fails on the first machine with this error. */
const taskOn =
  ({ cluster }: { cluster: Cluster }, error: Error) =>
  async () => {
    const { machine } = cluster.find('') as unknown as { machine: FakeMachine }
    if (machine.name === 'first') throw error
    return machine.name
  }

await t.test('a call whose machine was removed reaches the one that has the company now', async (t) => {
  const unavailable = new Error('the ledger could not be written', { cause: isLost })
  for (const error of [isLost, unavailable, new Error('Cannot use a pool after calling end on the pool')]) {
    const moved = fakeCluster(first(), second)
    t.equal(await followMoves(moved.cluster, '', taskOn(moved, error)), 'second', error.message)
  }
})

await t.test('a call whose machine does not answer fails at once, if the company is still there', async (t) => {
  const stays = fakeCluster(first())
  await t.rejects(followMoves(stays.cluster, '', taskOn(stays, isLost)), isLost)
  t.equal(stays.looks(), 1)
})

await t.test('calls to a machine that is known to be down ask the cluster nothing', async (t) => {
  const down = fakeCluster({ ...first(), isDown: true })
  await t.rejects(followMoves(down.cluster, '', taskOn(down, isLost)), isLost)
  t.equal(down.looks(), 0)
})

await t.test('a transaction whose outcome is unknown is not sent again', async (t) => {
  const moved = fakeCluster(first(), second)
  const unknown = new Error('the connection was lost while the transaction committed', { cause: isLost })
  const unavailable = new Error('the outcome of the commit could not be learnt', { cause: unknown })
  await t.rejects(followMoves(moved.cluster, '', taskOn(moved, unavailable)), unavailable)
})

await t.test('a failed look does not hide why a call failed', async (t) => {
  const machine = first()
  const cluster = {
    find: () => ({ machine }),
    look: () => Promise.reject(new Error('the coordinator does not answer')),
  } as unknown as Cluster
  await t.rejects(
    followMoves(cluster, '', () => Promise.reject(isLost)),
    isLost,
  )
  const hasMoved = new MovedError('the shard has moved')
  await t.rejects(
    followMoves(cluster, '', () => Promise.reject(hasMoved)),
    hasMoved,
  )
})
