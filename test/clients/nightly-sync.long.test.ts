import t from 'tap'
import { adminClient, employeeClient } from '../../clients/typescript/employee-client.ts'
import { nightlySync, type Person } from '../../docs/nightly-sync.ts'
import { startCuttingProxy } from '../support/postgres/cutting-proxy.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const { api_id, api_key } = service.company.key
const proxy = await startCuttingProxy(t, service.address)
const api = employeeClient(proxy.address, api_id, api_key)
const admin = adminClient(service.address, service.company.admin.token)
const NOTHING = { created: 0, synced: 0, no_updates: 0, reactivated: 0, deactivated: 0 }

const people = Array.from({ length: 2_500 }, (_, at): Person => {
  return {
    first_name: 'Ana',
    last_name: `Number ${at}`,
    email: `ana.${at}@example.com`,
    external_id: `HR-${at}`,
    department: 'Sales',
  }
})

/** The newest entries in Bulk User Logs. */
async function entries(limit: number) {
  await service.project()
  const { data } = await admin.GET('/admin/v1/bulk-user-logs', { params: { query: { limit } } })
  return data!.items
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
  const again = people.slice(0, 5).map((person) => ({ ...person, email: person.email.replace('ana', 'anna') }))
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
    message: 'the sync failed',
  })
})
