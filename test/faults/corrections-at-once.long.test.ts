import t from 'tap'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/service.ts'
import { employee, send } from '../support/service.ts'
import { openStage } from './stage.ts'

/*
 * Failed calls are corrected at the moment that they are answered, in the other of two processes, many at once, while
 * the worker that folds them is killed. In the end each entry says exactly which of its records were applied.
 */

const ROUNDS = 5
const CALLS = 8

const stage = await openStage({ apis: 2, workers: 1 })
t.teardown(() => stage.cleanup.run())

const [company] = await stage.makeCompanies(1)
const { companyId, key } = company!
const admin = await stage.withServices((services) =>
  addUser(services, { companyId, email: 'admin@example.com', name: 'Admin', role: 'admin' }),
)
const [one, other] = stage.apis

type Api = (typeof stage.apis)[number]

/** Asks until the service is not too busy. */
async function ask(api: Api, method: string, path: string, body?: string, type = 'text/csv'): Promise<Answer> {
  return eventually(`${method} ${path}`, async () => {
    const headers = { authorization: `Bearer ${admin.token}`, ...(body === undefined ? {} : { 'content-type': type }) }
    const answer = await send(api.address, method, `/admin/v1${path}`, { key: null, headers, body })
    return answer.status !== 503 && answer.status !== 429 && answer
  })
}

/** Makes a call of two records in one process, which refuses the first one, and corrects it at once in the other. */
async function failAndCorrect(first: Api, second: Api, parts: readonly (readonly number[])[]): Promise<string> {
  const people = [employee(), employee()]
  const { status, body } = await send(first.address, 'POST', '/v1/employees', {
    key,
    body: people.map((person, at) => (at === 0 ? { ...person, phone: '1' } : person)),
  })
  t.equal(status, 422)
  const id = body.log_id as string
  await Promise.all(
    parts.map(async (indexes) => {
      const names = Object.keys(people[0]!)
      const rows = indexes.map((index) => [id, index, ...Object.values(people[index]!)].join(','))
      const file = [['log_id', 'index', ...names].join(','), ...rows].join('\n')
      const made = await ask(second, 'POST', '/uploads?file_name=fixed.csv', file)
      t.strictSame(made.body.corrects, [id], 'the ledger has the call that was just answered')
      const applied = await ask(second, 'POST', `/uploads/${made.body.id}/apply`)
      t.equal(applied.body.state, 'ended')
    }),
  )
  return id
}

await t.test('a correction that is sent at once is never lost, whichever process gets it', async (t) => {
  const expected = new Map<string, object>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [one!, other!] : [other!, one!]
    const kills = stage.workers.map((worker) => worker.restart('SIGKILL'))
    await Promise.all(
      Array.from({ length: CALLS }, async (_, at) => {
        // Whole, by halves in parallel, or only one of the two records.
        const parts = [[[0, 1]], [[0], [1]], [[0]]][at % 3]!
        const id = await failAndCorrect(first, second, parts)
        const isWhole = at % 3 !== 2
        const state = isWhole ? 'corrected' : 'partly_corrected'
        expected.set(id, { state, applied: isWhole ? 2 : 1, total: 2 })
      }),
    )
    await Promise.all(kills)
  }
  t.equal(expected.size, ROUNDS * CALLS)
  t.ok(await stage.settled([companyId]))
  for (const [id, correction] of expected) {
    for (const api of [one!, other!]) {
      const { body } = await ask(api, 'GET', `/bulk-user-logs/${id}`)
      t.strictSame(body.correction, correction)
    }
  }
})
