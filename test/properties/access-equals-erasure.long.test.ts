import fc from 'fast-check'
import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { storeDelivery } from '../support/http/stored-deliveries.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { uploadCall } from '../support/ledger/calls.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import type { JsonReport } from '../support/personal-data.ts'
import { erasableTexts, itemsOf, report, withoutErasable } from '../support/personal-data.ts'
import { rowsWith } from '../support/postgres/rows-with.ts'
import type { TestCompany } from '../support/service.ts'
import { startService } from '../support/service.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'
import { inputs, isQuick } from '../support/quick.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

/*
 * What a report lists of a person is what an erasure removes. After any history: every row of any table that holds a
 * value of the person is listed; the erasure changes the listed rows and no others; afterwards no table holds a listed
 * value, and a report lists what was to stay.
 */

const service = await startService(t)
const { commit } = openAppends(t, service)

/** Values of the person, which nobody else has. */
const EMAILS = ['zq-can.a@zorb.example', 'zq-can.b@zorb.example', 'ZQ-CAN.c@zorb.example']
const EXTERNAL_IDS = ['zq-can-1', 'zq-can-2', 'zq-can 3']
const WORDS = ['zq-can word', 'zq-can "quoted"', 'Zq-Can é']
/** What the values contain. */
const MARK = 'zq-can'

const email = fc.constantFrom(...EMAILS)
const externalId = fc.constantFrom(...EXTERNAL_IDS)
const word = fc.constantFrom(...WORDS)
const attributes = fc.record(
  {
    email,
    external_id: externalId,
    job_title: word,
    last_name: word,
    manager_email: fc.constant('other@example.com'),
    custom_attributes: fc.record({ note: word }),
    status: fc.constantFrom('active', 'inactive'),
  },
  { requiredKeys: [] },
)
const method = fc.constantFrom('POST' as const, 'PATCH' as const, 'PUT' as const)

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('change' as const), sent: attributes }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('upsert' as const), external_id: externalId, sent: attributes }),
  },
  /** A record of somebody else that names the person, and one that is of the person; both are refused. */
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('refused' as const),
      method,
      names: fc.oneof(
        fc.record({ email }),
        fc.record({ external_id: externalId }),
        fc.record({ manager_email: email }),
        fc.record({ job_title: email.map((text) => `reports to <${text}>`) }),
        fc.record({ custom_attributes: fc.record({ nested: fc.record({ deep: fc.array(email, { minLength: 1 }) }) }) }),
      ),
      more: word,
      isLong: fc.boolean(),
    }),
  },
  /** A body that names the person and can't be read. */
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('unreadable' as const),
      method,
      text: fc.oneof(email, externalId).chain((name) => word.map((text) => `[{"${name}": "${text}",`)),
    }),
  },
  /** Somebody else asks for the email address that the person has. */
  { weight: 1, arbitrary: fc.constant({ kind: 'conflict' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'unchanged' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'managed' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('upload' as const), name: fc.oneof(email, externalId), sent: attributes }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delivery' as const), answer: fc.option(word) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'project' as const }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

let keys = 0
const counts: Record<string, number> = {}

/** Makes a history. Returns the id of the person. */
async function run(company: TestCompany, steps: readonly Step[]): Promise<string> {
  const call = (http: 'POST' | 'PATCH' | 'PUT', path: string, body: unknown) =>
    service.call(http, path, { key: company.key, body, headers: { 'idempotency-key': `key-${(keys += 1)}` } })
  const other = await call('POST', '/v1/employees', [{ first_name: 'O', last_name: 'X', email: 'other@example.com' }])
  const person = { first_name: 'Zq-can', last_name: WORDS[0], email: EMAILS[0], external_id: EXTERNAL_IDS[0] }
  const made = await call('POST', '/v1/employees', [person])
  const [otherId, id] = [other.body.employees[0].id, made.body.employees[0].id] as [string, string]
  // From now on, each of the names was theirs.
  for (const [at, name] of EMAILS.entries())
    await call('PATCH', `/v1/employees/${id}`, { email: name, external_id: EXTERNAL_IDS[at] })
  const webhook = await makeWebhook({ pool: service.pool, company }, undefined, { include_data: true })
  for (const one of steps) {
    counts[one.kind] = (counts[one.kind] ?? 0) + 1
    if (one.kind === 'change') await call('PATCH', `/v1/employees/${id}`, one.sent)
    if (one.kind === 'upsert') await call('PUT', '/v1/employees', [{ ...one.sent, id }])
    if (one.kind === 'refused') {
      const padding = one.isLong ? { location: 'x'.repeat(70_000) } : {}
      await call(one.method, '/v1/employees', [{ first_name: one.more, phone: 'no phone', ...one.names, ...padding }])
    }
    if (one.kind === 'unreadable') await call(one.method, '/v1/employees', one.text)
    if (one.kind === 'conflict')
      await call('PATCH', `/v1/employees/${otherId}`, await identify(company.id, id, 'email'))
    if (one.kind === 'unchanged') await call('PATCH', '/v1/employees', [{ id }, { id: otherId, job_title: `J${keys}` }])
    if (one.kind === 'managed')
      await call('PATCH', '/v1/employees', [{ id: otherId, manager_id: [id, null][keys % 2] }])
    if (one.kind === 'upload') {
      const fileName = `changes of ${one.name}.csv`
      await commit([uploadCall(company, [{ ...one.sent, id }], { fileName }, 'PATCH')])
    }
    if (one.kind === 'delivery') {
      const { rows } = await service.pool.query<{ position: number }>(
        'select max(position) as position from events where company_id = $1 and stream_id = $2',
        [toUuid(company.id), toUuid(id)],
      )
      await storeDelivery(service.pool, company.id, webhook.id, { position: rows[0]!.position, answer: one.answer })
    }
    if (one.kind === 'project') await service.project(company.id)
  }
  return id
}

type Rows = Record<string, string[]>

/** The keys of the rows that hold something an erasure can delete. */
async function readErasable(companyId: string): Promise<Rows> {
  const read = async (text: string) =>
    (await service.pool.query<{ key: string | number }>(text, [toUuid(companyId)])).rows.map(({ key }) => String(key))
  return {
    events: await read('select position as key from events where company_id = $1 and data is not null'),
    directory: await read('select employee_id as key from employee_directory where company_id = $1'),
    answers: await read('select call_id as key from idempotency_keys where company_id = $1 and body is not null'),
    deliveries: await read(
      'select delivery_id as key from webhook_deliveries where company_id = $1 and answer is not null',
    ),
    employees: await read(`select employee_id as key from ${EMPLOYEES} where company_id = $1`),
    bodies: await read('select position as key from rejected_bodies where company_id = $1'),
  }
}

/** The keys of the same rows, as a report lists them. */
function listErasable(json: JsonReport, isFolded: boolean): Rows {
  const withData = itemsOf(json, 'history', 'refused_records', 'uploaded_files').filter(({ data }) => data !== null)
  const answers = itemsOf(json, 'webhook_messages').filter(({ answer }) => answer !== null)
  const uuids = (items: Record<string, unknown>[], name: string) => items.map((item) => toUuid(item[name] as string))
  return {
    events: withData.map(({ position }) => String(position)),
    directory: uuids(itemsOf(json, 'directory'), 'employee_id'),
    answers: uuids(itemsOf(json, 'stored_answers'), 'log_id'),
    deliveries: uuids(answers, 'delivery_id'),
    employees: isFolded ? uuids(itemsOf(json, 'employee'), 'id') : [],
    bodies: itemsOf(json, 'rejected_bodies').map(({ position }) => String(position)),
  }
}

const sorted = (rows: Rows) => Object.fromEntries(Object.entries(rows).map(([name, keys]) => [name, new Set(keys)]))

/** The rows before that are no longer there afterwards. */
function missing(before: Rows, after: Rows): Rows {
  const names = Object.keys(before)
  return Object.fromEntries(names.map((name) => [name, before[name]!.filter((key) => !after[name]!.includes(key))]))
}

/** Each row of any table that holds a value of the person, as the table and the key of `readErasable`. */
async function findHolding(companyId: string): Promise<Rows> {
  const holding: Rows = { events: [], directory: [], answers: [], deliveries: [], employees: [], bodies: [] }
  const places: [string, keyof typeof holding, number][] = [
    ['public.events', 'events', 1],
    ['public.employee_directory', 'directory', 1],
    ['public.idempotency_keys', 'answers', 6],
    ['public.webhook_deliveries', 'deliveries', 2],
    [EMPLOYEES, 'employees', 1],
    ['public.rejected_bodies', 'bodies', 1],
  ]
  for (const line of await rowsWith(service.urls.superUrl, [MARK])) {
    const place = places.find(([table]) => line.startsWith(`${table}: `))
    if (!place) throw new Error(`${line} holds a value of the person in a table that no report lists`)
    const [table, name, column] = place
    const cells = line.slice(`${table}: (`.length, -1).split(',')
    if (cells[0] === toUuid(companyId)) holding[name]!.push(cells[column]!)
  }
  return holding
}

let histories = 0

await t.test('a report of an employee lists what an erasure removes, after any history', async (t) => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 5, maxLength: 25 }),
    fc.constantFrom('employee_id', 'email', 'external_id'),
    async (steps, by) => {
      const company = await service.makeCompany(`Company ${(histories += 1)}`)
      const id = await run(company, steps)
      await service.project(company.id)
      const of = await identify(company.id, id, by)
      const before = await reportIn(company, of)
      const listed = listErasable(before, true)

      const holding = await findHolding(company.id)
      for (const [name, keys] of Object.entries(holding))
        for (const key of keys)
          if (!listed[name]!.includes(key)) throw new Error(`${name} ${key} holds a value and is not listed`)

      const rows = await readErasable(company.id)
      const erased = await service.manage('POST', '/erasures', of, company.admin.token)
      if (erased.status !== 200) throw new Error(JSON.stringify(erased.body))
      await service.project(company.id)
      t.strictSame(sorted(missing(rows, await readErasable(company.id))), sorted(listed), 'the listed rows are erased')

      const words = [...new Set(erasableTexts(before).filter((text) => text.toLowerCase().includes(MARK)))]
      t.ok(words.length > 0, 'the report lists values')
      t.strictSame(await rowsWith(service.urls.superUrl, words), [], 'no table holds a listed value')

      const after = await reportIn(company, { employee_id: id })
      const stays = ['history', 'mentions', 'webhook_messages', 'webhooks']
      const [left, expected] = [withoutErasable(after), withoutErasable(before)]
      for (const name of stays) t.strictSame(left[name], expected[name], `${name} says what stays`)
      t.equal(after.facts['standing'], 'erased')
      t.equal(after.sections['erasures']!.items.length, 1)
      t.strictSame(
        erasableTexts(after).filter((text) => text.toLowerCase().includes(MARK)),
        [],
        'the report of what is left has no value',
      )
      t.strictSame(await ledgerFaults(service.db, company.id), [])
    },
  )
  await t.resolves(fc.assert(property, { numRuns: inputs(5, 20), endOnFailure: true }))
  // A few histories may lack one.
  if (isQuick) return
  for (const kind of [
    'change',
    'upsert',
    'refused',
    'unreadable',
    'conflict',
    'unchanged',
    'managed',
    'upload',
    'delivery',
  ])
    t.ok((counts[kind] ?? 0) > 0, `${counts[kind]} times ${kind}`)
})

/** What an administrator names the person by. */
async function identify(companyId: string, id: string, by: string): Promise<Record<string, string>> {
  if (by === 'employee_id') return { employee_id: id }
  const { rows } = await service.pool.query<Record<string, string | null>>(
    'select email, external_id from employee_directory where company_id = $1 and employee_id = $2',
    [toUuid(companyId), toUuid(id)],
  )
  const value = rows[0]![by]
  return value === null || value === undefined ? { employee_id: id } : { [by]: value }
}

function reportIn(company: TestCompany, of: Record<string, string>): Promise<JsonReport> {
  const asked = {
    ...service,
    manage: ((method, path, body) => service.manage(method, path, body, company.admin.token)) as typeof service.manage,
  }
  return report(asked, of)
}
