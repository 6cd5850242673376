import pg from 'pg'
import t from 'tap'
import type { QueryTarget } from '../../src/postgres/cluster/query-targets.ts'
import { findEverywhere, leaveOutUnreachable, readTargets } from '../../src/postgres/cluster/query-targets.ts'
import { MachineDownError } from '../../src/postgres/cluster/machine.ts'
import { fromUuid } from '../../src/domain/ids.ts'
import { registerCompany } from '../../src/accounts/companies/register-company.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { startService } from '../support/service.ts'

/* What looks over all companies asks each machine of a cluster. */

/** Never connected to. */
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

await t.test('one statement for each machine reads every company once', async (t) => {
  const service = await startService(t)
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H']
  const ids = await Promise.all(names.map((name) => registerCompany({ pool: service.pool, newId }, name)))
  const rows = await findEverywhere(
    readTargets(service.pool),
    async (target) =>
      (
        await target.pool.query<{ company_id: string }>(
          'select company_id from companies where name = any($1) order by name limit $2',
          [names, names.length],
        )
      ).rows,
  )
  const read = rows.map(({ company_id: companyId }) => fromUuid('com', companyId))
  t.strictSame(read.toSorted(), ids.toSorted())
})
