import { readFileSync } from 'node:fs'
import t from 'tap'
import { startService } from '../../support/service.ts'

const README = readFileSync('README.md', 'utf8')
const [sentBodies, shownAnswers] = [/ -d '(.+)'$/gm, /```json\n([^]+?)```/g].map((pattern) =>
  [...README.matchAll(pattern)].map(([, json]) => JSON.parse(json!) as unknown),
) as [unknown[], [object, { items: object[] }, object]]

/** Without what differs from run to run: ids, times, and durations. */
const mask = (answer: unknown) =>
  JSON.stringify(answer, null, 1)
    .replace(/"(?:log|emp|key)_\w{26}"|"[\da-f-]{36}"|"\d{4}-[^"]+Z"/g, '""')
    .replace(/"duration_ms": \d+/g, '"duration_ms": 0')

await t.test('the calls of the README are answered as it shows', async (t) => {
  const service = await startService(t)
  const [created, log, refused] = shownAnswers
  t.equal(mask((await service.call('POST', '/v1/employees', { body: sentBodies[0] })).body), mask(created))
  await service.project()
  const { body } = await service.admin('/bulk-user-logs')
  t.equal(
    mask({ ...body, items: [{ ...body.items[0], key: null }] }),
    mask({ ...log, items: [{ ...log.items[0], key: null }] }),
  )
  t.equal(mask((await service.call('PATCH', '/v1/employees', { body: sentBodies[1] })).body), mask(refused))
})
