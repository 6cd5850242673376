import fc from 'fast-check'
import t from 'tap'
import { employees } from '../../projections/employees/fold.ts'
import { openMaintenance } from '../../src/bootstrap/store.ts'
import { rebuildCompany } from '../../src/workers/scratch.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { Operation } from '../../src/domain/operations.ts'
import { inputs } from '../support/quick.ts'
import type { Answer, Service, TestCompany } from '../support/service.ts'
import { startService } from '../support/service.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

/* Histories of calls have few e-mails and external ids, so that they collide often. */

const service = await startService(t)
const sibling = await startService(t, {}, { urls: service.urls })
const owner = await openMaintenance(service.urls)
t.teardown(owner.close)
const withoutCache = await startService(t, { EMPLOYEE_CACHE: '0' }, { urls: service.urls })

/** Mostly good values and a few bad ones, so that many calls succeed. */
const mostly = <Good, Bad>(good: fc.Arbitrary<Good>, bad: Bad) =>
  fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: fc.constant(bad) })

const email = mostly(
  fc.constantFrom('a@x.com', 'B@x.com', 'b@X.com', 'c@x.com', 'ｃ@x.com', 'd@x.com', 'e@x.com'),
  'no e-mail',
)
const noEmail = fc.oneof({ weight: 6, arbitrary: email }, { weight: 1, arbitrary: fc.constantFrom(null, '', ' ') })
const externalId = fc.constantFrom('1', '2', '3\u00a0', '4', ' 5', null)
const name = fc.constantFrom('Zoë', 'Zoe\u0308 ', '\u200bZoë', null, '')
const attributes = {
  email: noEmail,
  first_name: name,
  external_id: externalId,
  status: fc.constantFrom('active', 'inactive'),
  manager_external_id: fc.constantFrom('1', '2', '3', null),
  job_title: mostly(fc.constantFrom('Dev', 'Lead', null), 7),
  phone: mostly(fc.constantFrom('030 123456', '(030) 12 34 56', '+4930123456', '', null), '0'),
  start_date: mostly(fc.constantFrom('2026-01-31', null), '2026-02-30'),
  termination_date: mostly(fc.constantFrom('2026-12-31', null), '2026-01-01'),
}
const value = fc.constantFrom('x', 1, '1', true, 'true')
const key = fc.constantFrom('a', '10', 'constructor')
const creation = fc
  .record({ ...attributes, custom_attributes: fc.dictionary(key, value) }, { requiredKeys: ['email'] })
  .map((sent) => ({ last_name: 'Pérez', ...sent }))
const patch = fc.record(
  { ...attributes, custom_attributes: fc.dictionary(key, fc.option(value)) },
  { requiredKeys: [] },
)
const bulkPatch = fc.oneof(
  fc.tuple(patch, email).map(([sent, locator]) => ({ ...sent, external_id: undefined, email: locator })),
  fc.tuple(patch, externalId).map(([sent, locator]) => ({ ...sent, external_id: locator })),
)

/** Those that a key may ask for. */
type OfKey = Exclude<Operation, 'undo'>
type Call =
  | { kind: Exclude<OfKey, 'update_one'>; body: unknown }
  | { kind: 'update_one'; nth: number; body: unknown }
  /** Somebody damages the rows of the company, the process loads them, and they are rebuilt. */
  | { kind: 'repair'; email: string }
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.array(creation, { maxLength: 3 }).map((body) => ({ kind: 'create' as const, body })),
  fc.array(bulkPatch, { maxLength: 3 }).map((body) => ({ kind: 'update_many' as const, body })),
  fc.array(fc.oneof(creation, bulkPatch), { maxLength: 3 }).map((body) => ({ kind: 'upsert' as const, body })),
  fc.record({ kind: fc.constant('update_one' as const), nth: fc.nat(3), body: patch }),
  email.map((locator) => ({ kind: 'repair' as const, email: locator })),
)

/** Some employees to collide with. */
const BEGINNING: Call = {
  kind: 'create',
  body: ['a', 'b', 'c'].map((name, at) => {
    return { first_name: 'Ana', last_name: 'Pérez', email: `${name}@x.com`, external_id: String(at + 1) }
  }),
}

/** How each is called. `call` makes some of each, and `recount` says what they count. */
const METHODS: Readonly<Record<OfKey, 'POST' | 'PATCH' | 'PUT' | 'DELETE'>> = {
  create: 'POST',
  update_many: 'PATCH',
  upsert: 'PUT',
  update_one: 'PATCH',
}

/** Makes a call while the rows are damaged, and one after their repair that would change nothing if they were not. */
async function damageAndRepair(company: TestCompany, locator: string, title: string, by: Service): Promise<Answer[]> {
  const patch = (record: object) =>
    by.call('PATCH', '/v1/employees', { key: company.key, body: [{ email: locator, ...record }] })
  await damage(company, title)
  const loaded = await patch({ employee_number: title })
  await repair(company)
  return [loaded, await patch({ job_title: title })]
}

async function damage({ id }: TestCompany, title: string): Promise<void> {
  await service.project(id)
  await service.pool.query(
    `update ${EMPLOYEES} set attributes = (attributes::jsonb || jsonb_build_object('job_title', $2::text))::json
     where company_id = $1`,
    [toUuid(id), title],
  )
}

async function repair({ id }: TestCompany): Promise<void> {
  const hooks = { signal: new AbortController().signal, onBegun: () => undefined, onFolded: () => undefined }
  await rebuildCompany(owner.db, employees, id, hooks)
}

/** Makes the calls of a history through these API processes in turn. */
async function run(company: TestCompany, calls: Call[], through: Service[]): Promise<Answer[]> {
  await service.manage('PATCH', '/company', { country: 'DE' }, company.admin.token)
  const answers: Answer[] = []
  const known: string[] = []
  for (const [at, step] of calls.entries()) {
    const process = through[at % through.length]!
    if (step.kind === 'repair') {
      answers.push(...(await damageAndRepair(company, step.email, `Title ${at}`, process)))
      continue
    }
    const { kind, body, ...rest } = step
    const options = { body, key: company.key }
    const id = 'nth' in rest ? (known[rest.nth] ?? 'emp_unknown') : ''
    const answer = await process.call(METHODS[kind], `/v1/employees${kind === 'update_one' ? `/${id}` : ''}`, options)
    if (answer.status === 201) known.push(...answer.body.employees.map((made: { id: string }) => made.id))
    answers.push(answer)
  }
  return answers
}

/** What answers say, with ids numbered in order of appearance and without times. */
function normalize(answers: Answer[]): string[] {
  const numbers = new Map<string, string>()
  const numberOf = (id: string) => numbers.get(id) ?? numbers.set(id, `id ${numbers.size}`).get(id)!
  return answers.map(({ status, body, headers }) =>
    `${status} ${headers['x-ledger-position']} ${JSON.stringify(body)}`
      .replaceAll(/(emp|log)_[0-9a-z]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, numberOf)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time'),
  )
}

interface Entry {
  id: string
  status: string
  operation: string
  counts: Record<'total' | 'updated' | 'deactivated' | 'failed' | 'no_updates', number>
}

/** The counts of an entry, recounted from its records. */
function recount(entry: Entry, records: { index: number | null; status: string | null }[]): Entry['counts'] {
  const { total } = entry.counts
  const none = { total, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }
  const having = (...statuses: string[]) => records.filter(({ status }) => statuses.includes(status ?? '')).length
  if (entry.status === 'Completed') {
    const updated = having('Synced', 'Reactivated')
    return { ...none, updated, deactivated: having('Deactivated'), no_updates: having('No Updates') }
  }
  const isWhole = records.length === 1 && records[0]!.index === null
  if (entry.operation === 'create' && !isWhole) return { ...none, failed: records.length }
  return { ...none, failed: total }
}

async function logFaults(service: Service, company: TestCompany, answers: Answer[]): Promise<string[]> {
  const { token } = company.admin
  const { body } = await service.admin('/bulk-user-logs?limit=200', token)
  const entries = body.items as Entry[]
  const faults: string[] = []
  const expected = answers.map((answer) => answer.body.log_id).toReversed()
  if (JSON.stringify(entries.map(({ id }) => id)) !== JSON.stringify(expected)) faults.push('entries and calls differ')
  for (const entry of entries) {
    const { body: page } = await service.admin(`/bulk-user-logs/${entry.id}/records?limit=200`, token)
    const counts = JSON.stringify(recount(entry, page.items))
    if (counts !== JSON.stringify(entry.counts))
      faults.push(`${entry.id}: ${JSON.stringify(entry.counts)} is not ${counts}`)
    const rows = entry.status === 'Completed' ? entry.counts.total : page.items.length
    if (page.items.length !== rows) faults.push(`${entry.id} has ${page.items.length} records of ${rows}`)
  }
  return faults
}

/** Every chain of managers must end. */
async function cycleFaults(company: TestCompany): Promise<string[]> {
  const { rows } = await service.pool.query<{ id: string; manager: string | null }>(
    'select employee_id as id, manager_id as manager from employee_directory where company_id = $1',
    [toUuid(company.id)],
  )
  const managers = new Map(rows.map(({ id, manager }) => [id, manager]))
  return rows.flatMap(({ id }) => {
    let above: string | null = id
    for (let steps = 0; above !== null && steps <= rows.length; steps += 1) above = managers.get(above) ?? null
    return above === null ? [] : [`${id} has an endless chain of managers`]
  })
}

await t.test('ledger, directory, log and counts agree after any history of calls', async (t) => {
  let histories = 0
  const property = fc.asyncProperty(fc.array(call, { minLength: 8, maxLength: 20 }), async (calls) => {
    const company = await service.makeCompany(`Company ${(histories += 1)}`)
    // Three calls to one process, so that it uses its cache, and one to another, so that the cache is outdated.
    const answers = await run(company, [BEGINNING, ...calls], [service, service, service, sibling])
    const plain = await service.makeCompany(`Company ${histories} without a cache`)
    const expected = normalize(await run(plain, [BEGINNING, ...calls], [withoutCache]))
    for (const { id } of [company, plain]) await service.project(id)
    const faults = [
      ...(await ledgerFaults(service.db, company.id)),
      ...(await cycleFaults(company)),
      ...(await logFaults(service, company, answers)),
    ]
    normalize(answers).forEach((answer, at) => {
      if (answer !== expected[at]) faults.push(`${answer}\n is not \n${expected[at]}`)
    })
    if (answers.some(({ status }) => status >= 500)) faults.push('a call failed on our side')
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  await t.resolves(fc.assert(property, { numRuns: inputs(5, 20) }))
  const { rows } = await service.pool.query(`select r.version is not null as folded
    from employee_directory d full join ${EMPLOYEES} r using (company_id, employee_id)
    where d.company_id is null or r.company_id is null`)
  t.strictSame(rows, [], 'the read model and the directory have the same employees')
})
