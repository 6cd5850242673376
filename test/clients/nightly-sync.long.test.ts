import { cpSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type * as client from '../../clients/typescript/employee-ledger-client.ts'
import type * as sync from '../../docs/nightly-sync.ts'
import { startCuttingProxy } from '../support/lines/cutting-proxy.ts'
import { installClient } from '../support/processes/installed-client.ts'
import { startService } from '../support/service.ts'

/* The nightly sync runs as its users run it: in a folder of its own, with the installed package. */

const { folder, entry } = await installClient()
cpSync('docs/nightly-sync.ts', path.join(folder, 'nightly-sync.mts'))
const { nightlySync } = (await import(path.join(folder, 'nightly-sync.mts'))) as typeof sync
const { createEmployeeClient } = (await import(entry)) as typeof client

const service = await startService(t)
const { api_id: apiId, api_key: apiKey } = service.company.key
const proxy = await startCuttingProxy(t, service.address)
const api = createEmployeeClient({ baseUrl: proxy.address, apiId, apiKey })
const NOTHING = { created: 0, synced: 0, no_updates: 0, reactivated: 0, deactivated: 0 }

const people = Array.from({ length: 2_500 }, (_, at): sync.Person => {
  return {
    first_name: 'Ana',
    last_name: `Number ${at}`,
    email: `ana.${at}@example.com`,
    external_id: `HR-${at}`,
    department: 'Sales',
  }
})

type Entries = client.paths['/admin/v1/bulk-user-logs']['get']['responses'][200]['content']['application/json']

/** The newest entries in Bulk User Logs. */
async function entries(limit: number) {
  await service.project()
  const { body } = await service.admin(`/bulk-user-logs?limit=${limit}`)
  return (body as Entries).items
}

await t.test('the first night creates 2,500 employees, although the connection is cut twice', async (t) => {
  proxy.cut('while sending', 'before the answer')
  t.strictSame(await nightlySync(api, people, 'night-1'), { ...NOTHING, created: 2_500 })
  t.equal(proxy.cuts(), 2)
  const logged = await entries(10)
  t.strictSame(
    logged.map(({ counts }) => counts.total),
    [500, 1_000, 1_000],
    'no batch was carried out twice',
  )
  t.ok(logged.every(({ status }) => status === 'Completed'))
})

await t.test('the second night changes nothing', async (t) => {
  t.strictSame(await nightlySync(api, people, 'night-2'), { ...NOTHING, no_updates: 2_500 })
  t.strictSame(
    (await entries(3)).map(({ counts }) => counts.no_updates),
    [500, 1_000, 1_000],
  )
})

const remaining = people.slice(0, 2_497)

await t.test('the third night deactivates those who left, even when the answer is lost', async (t) => {
  proxy.cut('before the answer')
  t.strictSame(await nightlySync(api, remaining, 'night-3'), { ...NOTHING, no_updates: 2_497, deactivated: 3 })
  t.strictSame(
    (await entries(3)).map(({ counts }) => counts.deactivated),
    [3, 0, 0],
  )
})

await t.test('the fourth night reactivates those who returned, and updates those who moved', async (t) => {
  const [moved, ...others] = remaining
  const now = [{ ...moved!, department: 'Research' }, ...others, people[2_499]!]
  t.strictSame(await nightlySync(api, now, 'night-4'), { ...NOTHING, no_updates: 2_496, reactivated: 1, synced: 1 })
})

await t.test('an identical second run gets identical answers', async (t) => {
  const before = await entries(1)
  const again = people.slice(0, 5).map((person) => ({ ...person, email: person.email!.replace('ana', 'anna') }))
  const run = () => nightlySync(api, [...again, ...remaining.slice(5), people[2_499]!], 'night-5')
  const first = await run()
  t.equal(first['synced'], 5)
  const count = (await entries(200)).length
  t.strictSame(await run(), first)
  t.equal((await entries(200)).length, count)
  t.not((await entries(1))[0]!.id, before[0]!.id)
})

await t.test('a refused record ends the run', async (t) => {
  await t.rejects(nightlySync(api, [{ ...people[0]!, email: 'nonsense' }], 'night-6'), {
    code: 'validation_failed',
    errors: [{ index: 0, pointer: '/0/email' }],
    records: { first: 0, last: 999 },
  })
})
