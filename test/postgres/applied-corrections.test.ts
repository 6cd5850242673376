import type { Kysely } from 'kysely'
import t from 'tap'
import { up as leaveApplied } from '../../migrations/0005-applied-corrections.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { onOwnerConnection } from '../../src/migration/owner.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { employee, send, startService } from '../support/service.ts'

/* Version 1.1.0 listed every record of a correction that was applied in part. */

const service = await startService(t)
const { company, pool, urls } = service
const migrate = () =>
  onOwnerConnection(urls, { name: 'migrate' }, (owner) => leaveApplied(owner as unknown as Kysely<never>))
const fail = async (count: number) => {
  const body = Array.from({ length: count }, () => employee({ phone: '1' }))
  return (await service.call('POST', '/v1/employees', { body })).body.log_id as string
}
const readRows = async () => {
  const select = 'select corrected_id, position, call_id, records from corrections order by corrected_id, position'
  return (await pool.query(select)).rows
}

await t.test('a correction from 1.1.0 keeps only the records that it applied', async (t) => {
  const calls = [await fail(3), await fail(1), await fail(1)]
  const row = (call: number, index: number, phone = '') =>
    Object.values({ log_id: calls[call], index, ...employee(), phone }).join(',')
  const header = Object.keys({ log_id: '', index: '', ...employee(), phone: '' }).join(',')
  const upload = (...rows: string[]) =>
    send(service.address, 'POST', '/admin/v1/uploads?apply=true&all_or_none=false', {
      key: null,
      body: [header, ...rows].join('\n'),
      headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
    })
  const sent = await upload(row(0, 2), row(1, 0, '1'), row(0, 0, '1'), row(0, 1))
  t.match(sent.body.summary, { applied: 2, refused: 2 })
  t.match((await upload(row(2, 0))).body.summary, { applied: 1, refused: 0 })
  const right = await readRows()
  t.match(right, [{ records: [2, 1] }, { records: [0] }])

  await asSuperuser(
    urls.superUrl,
    `update corrections set records = '{2,0,1}' where records = '{2,1}'`,
    `insert into corrections select company_id, events.stream_id, corrections.position, corrections.call_id, '{0}'
      from corrections join events using (company_id)
      where records = '{2,0,1}' and type = 'ApiCallFailed' and data like '%"total":1,%' and events.stream_id not in
        (select corrected_id from corrections)`,
  )
  t.match(await readRows(), [{ records: [2, 0, 1] }, { records: [0] }, { records: [0] }])
  await migrate()
  t.strictSame(await readRows(), right)
  await migrate()
  t.strictSame(await readRows(), right, 'a second time changes nothing')
})

await t.test('a record that the failed call does not have is not counted as corrected', async (t) => {
  const [id, call] = [await fail(1), employee()]
  const header = ['log_id', 'index', ...Object.keys(call)].join(',')
  await send(service.address, 'POST', '/admin/v1/uploads?apply=true', {
    key: null,
    body: [header, [id, 0, ...Object.values(call)].join(',')].join('\n'),
    headers: { 'content-type': 'text/csv', authorization: `Bearer ${company.admin.token}` },
  })
  await service.project()
  const correction = async () => (await service.admin(`/bulk-user-logs/${id}`)).body.correction
  t.match(await correction(), { applied: 1, total: 1 })
  await asSuperuser(urls.superUrl, `update corrections set records = '{1}' where corrected_id = '${toUuid(id)}'`)
  t.match(await correction(), { applied: 0, total: 1 })
})
