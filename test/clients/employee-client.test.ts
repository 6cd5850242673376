import { readFileSync } from 'node:fs'
import t from 'tap'
import { currentDocument } from '../../docs/openapi/current-document.ts'
import * as client from '../../clients/typescript/employee-ledger-client.ts'
import type { EmployeeCreate, EmployeeUpsert } from '../../clients/typescript/employee-ledger-client.ts'
import { answerOf, operationsOf } from '../support/http/api-document.ts'
import { faultyClient, isUnreachable, refuses } from '../support/http/faulty-client.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const { client: api, sent } = faultyClient(service)
const person = (more: Partial<EmployeeCreate> = {}) => employee(more) as EmployeeCreate
const people = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => person({ external_id: `${prefix}-${at}` }))

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of given) found.push(one)
  return found
}

async function errorOf(run: () => Promise<unknown>): Promise<client.EmployeeLedgerError> {
  const error = await run().catch((error: unknown) => error)
  if (error instanceof client.EmployeeLedgerError) return error
  throw new Error('no error of the client', { cause: error })
}

await t.test('every call of the public API has a method', async (t) => {
  const made = await api.create([person({ external_id: 'A', job_title: 'Engineer' })])
  t.match(made, { log_id: /^log_/, employees: [{ external_id: 'A' }], position: Number, replayed: false })
  const [ana] = made.employees
  t.strictSame(await api.get(ana!.id), ana)
  const updated = await api.update(ana!.id, { job_title: null }, { ifVersion: 1 })
  t.match(updated, { result: 'synced', changed: ['job_title'], employee: { version: 2 } })
  const many = await api.updateMany([{ external_id: 'A', status: 'inactive' }])
  t.match(many, { counts: { total: 1, deactivated: 1 }, results: [{ index: 0, id: ana!.id, result: 'deactivated' }] })
  const upserted = await api.upsert([{ external_id: 'A', status: 'active' }, person({ external_id: 'B' })])
  t.match(upserted.results, [{ result: 'reactivated' }, { result: 'created' }])
  await service.project()
  const page = await api.list({ limit: 1, min_position: upserted.position! })
  t.match(page, { items: [{ id: ana!.id }], next_cursor: String })
  t.match(await api.verifyKey(), { company_name: 'Acme', is_enabled: true })
})

await t.test('allOrNone: false applies what can be applied, and answers with the errors of the rest', async (t) => {
  const { counts, results, position } = await api.create([person(), person({ phone: 'x' })], { allOrNone: false })
  t.match(counts, { total: 2, failed: 1 })
  t.match(results, [
    { result: 'created', errors: [] },
    { result: 'failed', errors: [{ code: 'invalid_format' }] },
  ])
  t.ok(position)
  const id = results[0]!.id!
  const again = await api.updateMany([{ id, job_title: 'Dev' }, { id: '…' }], { allOrNone: false })
  t.match(again.results, [{ result: 'synced' }, { result: 'failed' }])
  const upserted = await api.upsert([person(), { external_id: 'x' }], { allOrNone: false, validateOnly: true })
  t.match(upserted, { position: null, results: [{ id: null, result: 'created' }, { result: 'failed' }] })
  await t.rejects(api.create([person({ phone: 'x' })], { allOrNone: false }), { code: 'validation_failed' })
})

await t.test('linkByEmail gives external ids to people who have none, in one call and in a batch', async (t) => {
  const people = [person(), person(), person()]
  await api.create(people)
  const named = people.map((one, at) => ({ ...one, external_id: `link-${at}` }))
  await t.rejects(api.upsert(named), { code: 'already_exists' })
  t.match(await api.upsert(named.slice(0, 1), { linkByEmail: true }), { results: [{ changed: ['external_id'] }] })
  const batches = await all(api.upsertAll(named.slice(1), { maxRecords: 1, linkByEmail: true, allOrNone: false }))
  t.strictSame(
    batches.map(({ counts }) => counts.updated),
    [1, 1],
  )
})

await t.test('allOrNone: false applies what can be applied of a batch, and counts all of its records', async (t) => {
  const records = [person(), person({ phone: 'x' }), person(), person({ phone: 'x' })]
  const answers = await all(api.createAll(records, { maxRecords: 2, allOrNone: false }))
  t.match(answers, [
    {
      first: 0,
      employees: [{}],
      results: [
        { index: 0, result: 'created' },
        { index: 1, result: 'failed' },
      ],
    },
    { first: 2, results: [{ index: 2 }, { index: 3, errors: [{ index: 3, pointer: '/3/phone' }] }] },
  ])
  const none = all(api.upsertAll([{ external_id: 'x' }], { allOrNone: false }))
  await t.rejects(none, { code: 'validation_failed' }, 'a call of which nothing can be applied')
})

await t.test('validateOnly answers what would happen, and stores nothing', async (t) => {
  const preview = await api.create([person()], { validateOnly: true })
  t.match(preview, { employees: [{ id: null, version: 1 }], position: null })
  t.notOk('log_id' in preview)
})

await t.test('a key that cannot be sent is refused without being shown', async (t) => {
  const settings = { baseUrl: service.address, apiId: 'key_x', apiKey: 'SECRET\nsecond line' }
  t.throws(() => client.createEmployeeClient(settings), {
    message: 'apiKey must be one or more visible ASCII characters',
  })
})

await t.test('an address that is not that of a service is refused without being shown', async (t) => {
  const settings = { apiId: 'key_x', apiKey: 'x' }
  const at = (baseUrl: string) => () => client.createEmployeeClient({ ...settings, baseUrl })
  t.throws(at('https://u:hush@x.example'), { message: 'baseUrl must not have a user name or password' })
  t.throws(at('https://x.example/?a=1'), { message: 'baseUrl must not have a query or fragment' })
  for (const path of ['/v1', '/v1/', '/base/v1'])
    t.throws(at(`https://x.example${path}`), { message: 'baseUrl is the address of the service, without /v1' })
  t.doesNotThrow(at('https://x.example/base/'))
})

await t.test('a connection that fails says why', async (t) => {
  const faults = {
    ECONNREFUSED: /nothing listens at this address \(ECONNREFUSED\)/,
    ENOTFOUND: /NODE_USE_ENV_PROXY=1 \(ENOTFOUND\)/,
    DEPTH_ZERO_SELF_SIGNED_CERT: /NODE_EXTRA_CA_CERTS/,
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: /NODE_EXTRA_CA_CERTS/,
    CERT_HAS_EXPIRED: /not valid now/,
    ERR_TLS_CERT_ALTNAME_INVALID: /another host name/,
    ERR_SSL_WRONG_VERSION_NUMBER: /does not speak TLS/,
    UND_ERR_SOCKET: /failed \(UND_ERR_SOCKET\)$/,
  }
  for (const [code, detail] of Object.entries(faults)) {
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('below'), { code }) })
    }
    const { client: failing } = faultyClient(service, { attempts: 1, fetch })
    t.match(await errorOf(() => failing.verifyKey()), { code: 'connection_failed', detail }, code)
  }
})

await t.test('calls of a batch with the same content all take effect', async (t) => {
  const [made] = (await api.create([person()])).employees
  const { id } = made!
  const titles = ['a', 'b', 'a']
  const answers = await all(
    api.updateAll(
      titles.map((title) => ({ id, job_title: title })),
      { maxRecords: 1 },
    ),
  )
  t.match(answers, [{ replayed: false }, { replayed: false }, { replayed: false }])
  t.equal((await api.get(id)).job_title, 'a')
})

await t.test('the own idempotency key of a call is sent', async (t) => {
  const ana = person()
  const first = await api.create([ana], { idempotencyKey: 'mine-1' })
  const again = await api.create([ana], { idempotencyKey: 'mine-1' })
  t.match(again, { log_id: first.log_id, replayed: true })
})

await t.test('all employees are read page by page, as they are asked for', async (t) => {
  await api.upsert(people(7, 'page'))
  await service.project()
  const before = sent.length
  const found = await all(api.employees({ q: 'page-', limit: 3 }))
  t.strictSame(
    found.map(({ external_id: id }) => id),
    [0, 1, 2, 3, 4, 5, 6].map((at) => `page-${at}`),
  )
  t.equal(sent.length - before, 3)
  for await (const { external_id: id } of api.employees({ q: 'page-', limit: 3 })) if (id === 'page-1') break
  t.equal(sent.length - before, 4, 'further pages are not read')
})

await t.test('a batch is cut at the number of records, and its results count all of them', async (t) => {
  async function* stream() {
    yield* people(5, 'batch')
  }
  const answers = await all(api.upsertAll(stream(), { maxRecords: 2 }))
  t.strictSame(
    answers.map(({ first, counts }) => [first, counts.total]),
    [
      [0, 2],
      [2, 2],
      [4, 1],
    ],
  )
  const indexes = answers.flatMap(({ results }) => results.map(({ index }) => index))
  t.strictSame(indexes, [0, 1, 2, 3, 4])
  t.strictSame(await all(api.upsertAll([])), [], 'no records, no call')
  const created = await all(api.createAll(people(3, 'created'), { maxRecords: 2 }))
  t.strictSame(
    created.map(({ first, employees }) => [first, employees.length]),
    [
      [0, 2],
      [2, 1],
    ],
  )
  const updates = people(2, 'created').map(({ external_id: id }) => ({ external_id: id!, status: 'inactive' as const }))
  const [updated] = await all(api.updateAll(updates))
  t.match(updated, { first: 0, counts: { deactivated: 2 } })
})

await t.test(
  'a batch is cut at the number of bytes: no body is larger, and none could take another record',
  async (t) => {
    const records = people(50, 'bytes').map((record, at) => ({ ...record, job_title: 'é'.repeat(at) }))
    const maxBytes = 1_500
    const before = sent.length
    const answers = await all(api.upsertAll(records, { maxBytes }))
    t.ok(answers.length > 1)
    const bodies = answers.map(({ first, counts }) => records.slice(first, first + counts.total))
    const bytes = (body: unknown) => Buffer.byteLength(JSON.stringify(body))
    for (const [at, body] of bodies.entries()) {
      t.ok(bytes(body) <= maxBytes)
      // The cut counts a comma for each record.
      const next = bodies[at + 1]?.[0]
      if (next) t.ok(bytes([...body, next]) >= maxBytes)
    }
    t.equal(sent.length - before, answers.length)
    const huge = await errorOf(() =>
      all(api.upsertAll([person(), person({ job_title: 'x'.repeat(2_000) })], { maxBytes })),
    )
    t.match(huge, { code: 'validation_failed', records: { first: 1, last: 1 } }, 'a larger record has its own call')
  },
)

await t.test('the first call of a batch that fails ends it, and says what took effect', async (t) => {
  const records: EmployeeUpsert[] = people(6, 'failing')
  records[3] = { ...records[3], email: 'nonsense' }
  const answered: number[] = []
  const error = await errorOf(async () => {
    for await (const { first } of api.upsertAll(records, { maxRecords: 2 })) answered.push(first)
  })
  t.strictSame(answered, [0])
  t.ok(error instanceof client.ValidationError)
  t.match(error, { records: { first: 2, last: 3 }, mayHaveTakenEffect: false })
  t.match(error.errors, [{ index: 3, pointer: '/3/email', code: 'invalid_format' }])
  const found = await Promise.all(records.map(({ external_id: id }) => api.list({ external_id: id! })))
  t.strictSame(
    found.map(({ items }) => items.length),
    [1, 1, 0, 0, 0, 0],
  )
})

await t.test('a batch that is run again repeats no call that took effect', async (t) => {
  const records = people(4, 'again')
  const options = { run: 'run-1', maxRecords: 2 }
  const { client: broken, fail } = faultyClient(service, { attempts: 1 })
  const answered: number[] = []
  const error = await errorOf(async () => {
    for await (const { first } of broken.createAll(records, options)) {
      answered.push(first)
      fail(isUnreachable)
    }
  })
  t.match(error, { code: 'connection_failed', records: { first: 2, last: 3 }, mayHaveTakenEffect: true })
  const answers = await all(api.createAll(records, options))
  t.strictSame(
    answers.map(({ replayed }) => replayed),
    [true, false],
  )
  const elsewhere = await errorOf(() => all(api.createAll(records, { ...options, run: 'run-2' })))
  t.ok(elsewhere instanceof client.ConflictError, 'another run shares no keys')
  t.match(await all(api.upsertAll(records, options)), [{ replayed: false }, { replayed: false }], 'nor another method')
})

await t.test('the errors of the service have the classes that the README says', async (t) => {
  const { create, update, get } = {
    create: (one = person(), options = {}) => errorOf(() => api.create([one], options)),
    update: (id: string) => errorOf(() => api.update(id, {}, { ifVersion: 7 })),
    get: (id: string, by = api) => errorOf(() => by.get(id)),
  }
  const { employees } = await api.create([person({ external_id: 'C' })], { idempotencyKey: 'mine-2' })
  const invalid = await create(person({ email: 'nonsense' }))
  t.match(invalid, { status: 422, code: 'validation_failed', name: 'ValidationError', requestId: String })
  t.match(invalid.errors, [{ index: 0, pointer: '/0/email' }])
  t.match((await service.logOf(invalid.logId!)).entry, { status: 'Failed', error: { detail: invalid.message } })
  t.match(await create(person({ external_id: 'C' })), { code: 'already_exists', name: 'ConflictError' })
  t.match(await update(employees[0]!.id), { code: 'precondition_failed', name: 'ConflictError' })
  t.match(await get('emp_unknown'), { code: 'employee_not_found', name: 'NotFoundError' })
  const reused = await create(person(), { idempotencyKey: 'mine-2' })
  t.match(reused, { code: 'idempotency_key_reused', name: 'IdempotencyError' })
  const stranger = faultyClient(service, { apiKey: 'el_live_wrong' }).client
  t.match(await get('emp_unknown', stranger), { code: 'invalid_credentials', name: 'AuthenticationError' })
  const nowhere = faultyClient(service, { baseUrl: 'http://127.0.0.1:1' })
  t.match(await get('emp_unknown', nowhere.client), { code: 'connection_failed', name: 'ConnectionError' })
  t.equal(nowhere.sent.length, 5)
  await service.manage('POST', `/api-keys/${service.company.key.api_id}/disable`)
  t.match(await create(), { code: 'key_disabled', name: 'PermissionError' })
})

await t.test('the README lists every documented code with its class', async (t) => {
  const document = await currentDocument()
  const statuses = new Map<string, number>()
  for (const { path, operation } of operationsOf(document).filter(({ path }) => path.startsWith('/v1/'))) {
    for (const status of Object.keys(operation.responses)) {
      const answer = JSON.stringify(answerOf(document, operation, status))
      const { codes } = /"enum":\[(?<codes>[^\]]+)\]/.exec(answer)?.groups ?? {}
      for (const code of JSON.parse(`[${codes ?? ''}]`) as string[]) statuses.set(code, Number(status))
      t.ok(codes !== undefined || Number(status) < 400, `${path} ${status}`)
    }
  }
  const { client: refused, fail } = faultyClient(service, { attempts: 1 })
  const classes: string[] = []
  for (const [code, status] of statuses) {
    fail(refuses(status, code))
    classes.push(`${code} ${(await errorOf(() => refused.verifyKey())).name}`)
  }
  const own = [
    'connection_failed ConnectionError',
    'timed_out ConnectionError',
    'unexpected_answer EmployeeLedgerError',
  ]
  const rows = readFileSync('clients/typescript/README.md', 'utf8').matchAll(/^\| `(\w+Error)` \| (.+) \|$/gm)
  const told = [...rows].flatMap(([, name, codes]) => codes!.split(', ').map((code) => `${code.slice(1, -1)} ${name}`))
  t.strictSame(told.toSorted(), [...classes, ...own].toSorted())
})
