import { createHash } from 'node:crypto'
import http from 'node:http'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { toUuid } from '../../../src/domain/ids.ts'
import { rootOf, unpackFrontier } from '../../../src/ledger/integrity/merkle.ts'
import { appendLeaves, EMPTY_FRONTIER } from '../../../src/ledger/integrity/merkle.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { inputs } from '../../support/quick.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { employee, startService } from '../../support/service.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { ERASE } from '../../support/ledger/event-row.ts'
import { uploadCall } from '../../support/ledger/calls.ts'
import { deriveEnvelope } from '../../../src/ledger/integrity/codec.ts'

const service = await startService(t)
const { company } = service
const uuid = toUuid(company.id)

const created = await service.call('POST', '/v1/employees', {
  body: [employee({ custom_attributes: { grade: 7 } }), employee()],
})
const [ana, bob] = created.body.employees.map(({ id }: { id: string }) => id) as [string, string]
const refused = await service.call('POST', '/v1/employees', { body: [{ email: 'nonsense' }, {}] })
await service.call('PATCH', `/v1/employees/${ana}`, { body: { job_title: 'Dev', status: 'inactive' } })
await service.call('PATCH', '/v1/employees', {
  body: [
    { id: ana, status: 'active' },
    { id: bob, email: 'bob@example.com' },
  ],
})
await openAppends(t, service).commit([uploadCall(company, [employee()])])
const other = await service.makeCompany('Other')
const foreign = await service.call('POST', '/v1/employees', { body: employee(), key: other.key })

interface Line {
  position: number
  type: string
  stream: string
  call_id: string | null
  recorded_at: string
  actor: string
}

const linesOf = async (query: string): Promise<Line[]> => {
  const { status, body } = await service.audit(`/events${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
const positionsOf = (lines: Line[]): number[] => lines.map(({ position }) => position)

const all = await linesOf('')
const stored = await service.db
  .selectFrom('events')
  .selectAll()
  .where('company_id', '=', uuid)
  .orderBy('position')
  .execute()

await t.test('without a filter, the list is the whole ledger as stored, in order', async (t) => {
  t.strictSame(
    positionsOf(all),
    stored.map((_, at) => at + 1),
  )
  for (const [at, line] of all.entries()) {
    const { company_id: _, data_hash: __, ...members } = JSON.parse(deriveEnvelope(stored[at]!))
    t.strictSame(line, { ...members, data: JSON.parse(stored[at]!.data!) })
  }
  const names = [
    'position',
    'call_id',
    'stream',
    'version',
    'type',
    'schema_version',
    'index',
    'recorded_at',
    'actor',
    'data',
  ]
  t.strictSame(Object.keys(all[0]!), names)
  const { headers } = await service.audit('/events')
  t.equal(headers['content-type'], 'application/x-ndjson')
  t.equal(headers['cache-control'], 'no-store')
})

await t.test('the proof format has the exact bytes, which hash to data hashes, leaves and root', async (t) => {
  const { body: lines } = await service.audit('/events?format=proof')
  t.strictSame(
    lines,
    stored.map((row) => ({ envelope: deriveEnvelope(row), data: row.data, salt: row.salt!.toString('hex') })),
  )
  const leaves: Buffer[] = []
  for (const { envelope, data, salt } of lines) {
    const digest = createHash('sha256').update(Buffer.from(salt, 'hex')).update(data).digest('hex')
    t.equal(JSON.parse(envelope).data_hash, digest)
    leaves.push(createHash('sha256').update(Buffer.of(0)).update(envelope).digest())
  }
  const head = await service.db.selectFrom('heads').selectAll().where('company_id', '=', uuid).executeTakeFirstOrThrow()
  t.strictSame(rootOf(appendLeaves(EMPTY_FRONTIER, leaves)), rootOf(unpackFrontier(head.position, head.frontier)))
})

await t.test('pages of any size continue after any position, without a gap or a repetition', async (t) => {
  for (const limit of [1, 3, 7, all.length, 10_000]) {
    const seen: Line[] = []
    for (;;) {
      const page = await linesOf(`?limit=${limit}&after=${seen.at(-1)?.position ?? 0}`)
      seen.push(...page)
      if (page.length === 0) break
      t.ok(page.length <= limit)
    }
    t.strictSame(seen, all)
  }
  t.strictSame(await linesOf(`?after=${all.length}`), [])
})

await t.test('filters leave events out and keep the positions of the others', async (t) => {
  const [middle, callId] = [all[Math.floor(all.length / 2)]!.recorded_at, refused.body.log_id as string]
  const filters: [query: string, isWanted: (line: Line) => boolean][] = [
    ['type=EmployeeCreated', ({ type }) => type === 'EmployeeCreated'],
    ['type=ApiCallFailed,EmployeeUpdated', ({ type }) => type === 'ApiCallFailed' || type === 'EmployeeUpdated'],
    ['type=EmployeeErased', () => false],
    [`employee=${ana}`, ({ stream }) => stream === ana],
    [`employee=${bob}&type=EmployeeUpdated`, ({ stream, type }) => stream === bob && type === 'EmployeeUpdated'],
    [`call=${created.body.log_id}`, (line) => line.call_id === created.body.log_id],
    [`call=${callId}`, (line) => line.call_id === callId],
    [`call=${callId}&type=ApiCallFailed`, (line) => line.call_id === callId && line.type === 'ApiCallFailed'],
    [`actor=${company.key.api_id}`, ({ actor }) => actor === company.key.api_id],
    [`actor=${company.admin.user_id}`, ({ actor }) => actor === company.admin.user_id],
    ['actor=operator', ({ actor }) => actor === 'operator'],
    [`from=${middle}`, (line) => line.recorded_at >= middle],
    [`to=${middle}`, (line) => line.recorded_at < middle],
    [`employee=${ana}&from=${middle}`, (line) => line.stream === ana && line.recorded_at >= middle],
    ['from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00%2B02:00', () => true],
    ['from=2100-01-01T00:00:00Z', () => false],
    ['to=2000-01-01T00:00:00Z', () => false],
  ]
  for (const [query, isWanted] of filters) {
    const wanted = all.filter(isWanted)
    t.strictSame(await linesOf(`?${query}`), wanted, query)
    t.strictSame(await linesOf(`?${query}&limit=1`), wanted.slice(0, 1), query)
    for (const after of positionsOf(wanted).slice(0, 3)) {
      t.strictSame(
        await linesOf(`?${query}&after=${after}`),
        wanted.filter(({ position }) => position > after),
        `${query} after ${after}`,
      )
    }
  }
  t.ok(filters.filter(([, isWanted]) => all.some(isWanted)).length > 8, 'most of the filters find something')
  t.equal((await linesOf(`?call=${callId}`)).length, 3)
})

await t.test("another company's ids get the same answer as unknown ones", async (t) => {
  const { id } = foreign.body.employees[0]
  const unknown = ['employee=emp_01h455vb4pex5vsknk084sn02q', 'call=log_01h455vb4pex5vsknk084sn02q']
  for (const query of [`employee=${id}`, `call=${foreign.body.log_id}`, ...unknown]) {
    t.match(await service.audit(`/events?${query}`), { status: 200, body: [] })
    t.strictSame((await service.audit(`/events?${query}`)).body, [], query)
  }
  const theirs = (await service.audit('/events', other.auditor.token)).body as Line[]
  t.strictSame(
    theirs.filter(({ stream }) => [company.id, ana, bob].includes(stream)),
    [],
  )
})

await t.test('an invalid query is refused with the parameter named', async (t) => {
  const faults: Record<string, RegExp> = {
    'after=-1': /after/,
    'after=x': /after/,
    [`after=${all.length + 1}`]: /after is beyond the head of the ledger at position/,
    'limit=0': /limit/,
    'limit=10001': /limit/,
    'format=xml': /format/,
    'type=Nonsense': /type/,
    'type=EmployeeCreated,': /type/,
    'type=EmployeeCreated&type=EmployeeUpdated': /type/,
    'employee=me': /employee/,
    [`employee=${created.body.log_id}`]: /employee/,
    [`call=${ana}`]: /call/,
    'from=yesterday': /from/,
    'to=0000-01-01T00:00:00Z': /to/,
    'cursor=x': /cursor does not exist; there is after$/,
  }
  for (const [query, detail] of Object.entries(faults)) {
    t.match(await service.audit(`/events?${query}`), { status: 400, body: { code: 'invalid_query', detail } }, query)
  }
})

await t.test('unknown data is listed as stored, and an unknown type ends the answer', async (t) => {
  const strange = await service.makeCompany('Strange')
  const company = toUuid(strange.id)
  await asSuperuser(
    service.urls.superUrl,
    `update events set data = '{"of":"nobody"}' where company_id = '${company}' and position = 2`,
    `update events set schema_version = 9 where company_id = '${company}' and position = 3`,
    `update events set ${ERASE} where company_id = '${company}' and position = 4`,
  )
  const plain = (await service.audit('/events', strange.admin.token)).body
  t.match(plain.slice(1, 4), [
    { type: 'UserInvited', data: { of: 'nobody' } },
    { schema_version: 9 },
    { position: 4, data: null },
  ])
  const proof = (await service.audit('/events?format=proof', strange.admin.token)).body
  t.match(proof[1], { data: '{"of":"nobody"}' })
  t.match(proof[2], { envelope: /"schema_version":9,/ })
  t.match(proof[3], { data: null, salt: null })
  await asSuperuser(
    service.urls.superUrl,
    `update events set type = 'EmployeeCloned' where company_id = '${company}' and position = 2`,
  )
  for (const query of ['', '&format=proof']) {
    const answer = await service.audit(`/events?after=1${query}`, strange.admin.token)
    t.match(answer, { status: 500, body: { code: 'internal_error' } })
  }
})

await t.test('long streams and rare event types are listed completely', async (t) => {
  const count = inputs(6_000, 25_000)
  const long = await service.makeCompany('Long')
  const { body } = await service.call('POST', '/v1/employees', { body: employee(), key: long.key })
  const { id } = body.employees[0]
  const { length: before } = (await service.audit('/events', long.auditor.token)).body
  await lengthenLedger(service, long.id, id, count)
  const late = await service.call('POST', '/v1/employees', { body: employee(), key: long.key })
  const ask = async (query: string): Promise<Line[]> =>
    (await service.audit(`/events?${query}`, long.auditor.token)).body
  const one = await ask(`employee=${id}`)
  t.equal(one.length, count + 1)
  t.ok(one.every(({ position }, at) => at === 0 || position > one[at - 1]!.position))
  t.strictSame(
    await ask(`employee=${id}&after=${before + 5_000}`),
    one.filter(({ position }) => position > before + 5_000),
  )
  const rare = await ask('type=ApiCallCompleted,ApiCallFailed')
  t.strictSame(
    rare.map(({ call_id: call }) => call),
    [body.log_id, late.body.log_id],
  )
  t.strictSame(
    (await ask(`call=${late.body.log_id}`)).map(({ type }) => type),
    ['EmployeeCreated', 'ApiCallCompleted'],
  )
  const [from, to] = [one[5_000]!.recorded_at, one[5_010]!.recorded_at]
  t.strictSame(await ask(`from=${from}&to=${to}`), one.slice(5_000, 5_010))
})

function raw(
  path: string,
  headers: Record<string, string>,
): Promise<{ headers: http.IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = { authorization: `Bearer ${company.auditor.token}`, ...headers }
    const request = http.get(service.address + path, { headers: sent, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) })).on('error', reject)
    })
    request.on('error', reject)
  })
}

await t.test('only clients that accept gzip get the lines compressed', async (t) => {
  const plain = await raw('/audit/v1/events', {})
  t.equal(plain.headers['content-encoding'], undefined)
  t.equal(plain.headers['vary'], 'accept-encoding')
  const packed = await raw('/audit/v1/events', { 'accept-encoding': 'br, gzip;q=0.5' })
  t.equal(packed.headers['content-encoding'], 'gzip')
  t.equal(packed.headers['vary'], 'accept-encoding')
  t.ok(packed.bytes.length < plain.bytes.length)
  t.strictSame(gunzipSync(packed.bytes).toString(), plain.bytes.toString())
  const none = await raw(`/audit/v1/events?after=${all.length}`, { 'accept-encoding': 'gzip' })
  t.equal(gunzipSync(none.bytes).toString(), '')
  t.equal((await raw(`/audit/v1/events?after=${all.length}`, {})).bytes.length, 0)
})

await t.test('HEAD on the list is refused', async (t) => {
  const headers = { authorization: `Bearer ${company.auditor.token}` }
  const { status } = await fetch(`${service.address}/audit/v1/events`, { method: 'HEAD', headers })
  t.equal(status, 405)
})
