import pg from 'pg'
import t from 'tap'
import type { QueryTarget } from '../../src/postgres/cluster/company-connections.ts'
import { findEverywhere, leaveOutUnreachable } from '../../src/postgres/cluster/company-connections.ts'
import { MachineDownError } from '../../src/postgres/cluster/machine.ts'

/* What looks over all companies asks each machine of a cluster. The places here are never connected to. */

const pool = new pg.Pool()
const PLACES: QueryTarget[] = ['one:5432', 'two:5432'].map((machine) => ({ machine, pool }))

/** Asks both machines, the second of which fails. */
function ask(error: Error): Promise<string[]> {
  return findEverywhere(
    PLACES,
    async ({ machine }) => {
      if (machine === 'two:5432') throw error
      return ['found']
    },
    leaveOutUnreachable,
  )
}

await t.test('a machine that does not answer is left out', async (t) => {
  t.strictSame(await ask(new MachineDownError('two:5432')), ['found'])
})

await t.test('a wrong statement fails instead of leaving out the machine', async (t) => {
  const error = Object.assign(new pg.DatabaseError('column "nope" does not exist', 0, 'error'), { code: '42703' })
  await t.rejects(ask(error), error)
})

await t.test('nothing is found if no machine answers', async (t) => {
  const error = new MachineDownError('both')
  const find = async () => {
    throw error
  }
  await t.rejects(findEverywhere(PLACES, find, leaveOutUnreachable), error)
})
