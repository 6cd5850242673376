import t from 'tap'
import { recordCall } from '../../src/ledger/uploads/change-upload.ts'
import { itemsOf, report } from '../support/personal-data.ts'
import { send, startService } from '../support/service.ts'

/* What is recorded about the parts of a file, whatever happens to the file. No worker interferes. */

const service = await startService(t, { MAX_RECORDS: '2' })
const { admin, id: companyId } = service.company
const HEADER = 'external_id,first_name,last_name,email'
const linesOf = (...names: string[]) => names.map((name) => `${name},F,L,${name.toLowerCase()}@example.com`)

/** Uploads these lines, looks at the preview of each part, and lets the file be applied. */
async function begin(lines: string[]): Promise<string> {
  const { body } = await send(service.address, 'POST', '/admin/v1/uploads?file_name=a.csv', {
    key: null,
    body: [HEADER, ...lines].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
  })
  for (const { number } of body.parts)
    t.equal((await service.admin(`/uploads/${body.id}/parts/${number}/preview`)).status, 200)
  t.equal((await service.manage('POST', `/uploads/${body.id}/apply`)).status, 200)
  return body.id as string
}

const record = (id: string, part: number, state: 'applied' | 'refused') =>
  recordCall(service.pool, { companyId, id }, part, state)

await t.test('cancelling a file leaves the parts that were applied or refused as they are', async (t) => {
  const id = await begin(linesOf('A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7'))
  await record(id, 1, 'applied')
  await record(id, 2, 'refused')
  t.ok((await service.manage('POST', `/uploads/${id}/cancel`)).status < 300)
  const states = ['applied', 'refused', 'canceled', 'canceled']
  t.match((await service.admin(`/uploads/${id}`)).body, { state: 'ended', parts: states.map((state) => ({ state })) })
  t.match(
    itemsOf(await report(service, { user_id: admin.user_id }), 'upload_parts'),
    states.map((state) => ({ state })),
  )
  const { body: csv } = await service.admin(`/uploads/${id}/not-applied.csv`)
  t.strictSame(
    (csv as string).match(/A\d/g),
    ['A3', 'A4', 'A5', 'A6', 'A7'],
    'only the rows of the applied part are gone',
  )
})

await t.test(
  'what several erasures take from a part adds up, and a part without rows counts as canceled',
  async (t) => {
    const id = await begin(linesOf('B1', 'B2', 'B3'))
    for (const name of ['B1', 'B2'])
      t.equal((await service.manage('POST', '/erasures', { external_id: name })).status, 200)
    t.match((await service.admin(`/uploads/${id}`)).body.parts, [{ erased: 2 }, { erased: 0 }])
  },
)
