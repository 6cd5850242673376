import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { recordCall, stopUpload } from '../../src/ledger/uploads/change-upload.ts'
import { itemsOf, report } from '../support/personal-data.ts'
import { send, startService } from '../support/service.ts'

/* What is recorded about the parts of a file, whatever happens to the file. No worker interferes. */

const service = await startService(t, { MAX_RECORDS: '2' })
const { admin, id: companyId } = service.company
const HEADER = 'external_id,first_name,last_name,email'
const linesOf = (...names: string[]) => names.map((name) => `${name},F,L,${name.toLowerCase()}@example.com`)

async function upload(lines: string[]) {
  return send(service.address, 'POST', '/admin/v1/uploads?file_name=a.csv', {
    key: null,
    body: [HEADER, ...lines].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
  })
}

/** Looks at the preview of each part. */
async function preview({ id, parts }: { id: string; parts: { number: number }[] }): Promise<void> {
  for (const { number } of parts) t.equal((await service.admin(`/uploads/${id}/parts/${number}/preview`)).status, 200)
}

/** Uploads these lines, looks at their preview, and lets the file be applied. */
async function begin(lines: string[]): Promise<string> {
  const { body } = await upload(lines)
  await preview(body)
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

await t.test('a file is applied after its preview, and again only with the preview of its mapping', async (t) => {
  const { body } = await upload(linesOf('C1', 'C2', 'C3'))
  const apply = () => service.manage('POST', `/uploads/${body.id}/apply`)
  t.match(await apply(), { status: 409, body: { detail: 'The preview is not complete yet' } })
  await preview(body)
  t.match((await service.admin(`/uploads/${body.id}`)).body.state, 'previewed')
  const { body: mapping } = await service.admin(`/uploads/${body.id}/mapping`)
  t.equal((await service.manage('PUT', `/uploads/${body.id}/mapping`, mapping)).status, 200)
  const parts = [{ counts: null }, { counts: null }]
  t.match((await service.admin(`/uploads/${body.id}`)).body, { state: 'previewing', parts })
  t.match(await apply(), { status: 409 })
})

await t.test('a file is gone after its day, which begins again when it is applied', async (t) => {
  const { body } = await upload(linesOf('D1', 'D2', 'D3'))
  await preview(body)
  const endIn = (interval: string) =>
    service.pool.query('update uploads set expires_at = now() + $2::interval where upload_id = $1', [
      toUuid(body.id),
      interval,
    ])
  await endIn('1 hour')
  await service.manage('POST', `/uploads/${body.id}/apply`)
  const { rows } = await service.pool.query(
    `select expires_at > now() + interval '23 hours' as is_extended from uploads where upload_id = $1`,
    [toUuid(body.id)],
  )
  t.strictSame(rows, [{ is_extended: true }])
  await endIn('-1 second')
  for (const path of ['', '/parts/1/preview', '/not-applied.csv'])
    t.match(await service.admin(`/uploads/${body.id}${path}`), { status: 404 })
  const { items } = (await service.admin('/uploads')).body
  t.notOk(items.some(({ id }: { id: string }) => id === body.id))
})

await t.test('a file that has ended does not stop any more', async (t) => {
  const id = await begin(linesOf('E1', 'E2', 'E3'))
  t.ok((await service.manage('POST', `/uploads/${id}/cancel`)).status < 300)
  await stopUpload(service.pool, { companyId, id })
  t.equal((await service.admin(`/uploads/${id}`)).body.state, 'ended')
})
