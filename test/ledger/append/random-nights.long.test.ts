import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { changeSettings } from '../../../src/accounts/companies/companies.ts'
import { RefusedByStateError } from '../../../src/accounts/change-company.ts'
import { eraseEmployee } from '../../../src/personal-data/erase-employee.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { readEvents } from '../../support/ledger/company-events.ts'
import { largeCall } from '../../support/ledger/calls.ts'
import { inputs } from '../../support/quick.ts'
import { startService } from '../../support/service.ts'

/*
 * Two companies make the same calls, night by night. One keeps digests of records that changed nothing; the other loses
 * them before each night, so all of its records are compared with states. Their answers and events are the same.
 */

const RUNS = inputs(3, 10)
const NIGHTS = 100
const PEOPLE = 5
const CACHE_BYTES = 1_000_000
const ID_OF = 'id of '
const NOBODY = newId('emp')

const service = await startService(t)
const { commit, sent } = openAppends(t, service)

const anyPerson = fc.nat(PEOPLE - 1)
const emailOf = (person: number) => `person.${person}@example.com`
const externalIdOf = (person: number) => `E-${person}`
/** Stands for the id that the person has as an employee of the company. */
const idOf = (person: number) => `${ID_OF}${person}`

const anyManager = fc.record({
  field: fc.constantFrom('manager_email', 'manager_external_id', 'manager_id', 'none', 'none', 'none'),
  manager: anyPerson,
})

const anyAttributes = fc.record(
  {
    job_title: fc.constantFrom('Engineer', ' Engineer ', null),
    custom_attributes: fc.constantFrom({ grade: 1 }, { grade: '1' }, { grade: 2, office: null }, null),
    phone: fc.constantFrom('030 123456', '+4930123456', null),
    status: fc.constantFrom('active', 'active', 'inactive'),
    start_date: seldom('soon', fc.constant('2020-01-01')),
  },
  { requiredKeys: [] },
)

/** A value that is sent once in so many times, so that most calls succeed. */
function seldom<Value, Other>(value: Value, otherwise: fc.Arbitrary<Other>): fc.Arbitrary<Value | Other> {
  return fc.oneof({ weight: 1, arbitrary: fc.constant(value) }, { weight: 25, arbitrary: otherwise })
}

/** A record of a person. A few have the email address of somebody else, or a manager who may report to the person. */
const anyRecord = fc
  .record({
    person: anyPerson,
    other: seldom(0, fc.constant(null)),
    locator: fc.constantFrom<('external_id' | 'email' | 'id')[]>('external_id', 'external_id', 'email', 'id'),
    blank: seldom(' ', fc.constant('')),
    attributes: anyAttributes,
    manager: anyManager,
    isAnybody: seldom(true, fc.constant(false)),
  })
  .map(({ person, other, locator, blank, attributes, manager: { field, manager }, isAnybody }) => {
    // Managers with lower numbers make no cycles.
    const superior = isAnybody ? manager : person === 0 ? null : manager % person
    const managed = superior === null ? {} : managerIn(field, superior)
    const facts = { first_name: 'Ana', last_name: `No. ${person}`, ...attributes, ...managed }
    // The last person has no email address.
    const email = person === PEOPLE - 1 ? null : emailOf(other ?? person)
    const byExternalId = { external_id: externalIdOf(person) + blank, email, ...facts }
    const sent = { id: { id: idOf(person), ...facts }, email: { email, ...facts }, external_id: byExternalId }
    // Only a patch can name an employee by id.
    const by = locator === 'email' && email === null ? 'external_id' : locator
    return { person, PATCH: sent[by], PUT: by === 'email' ? sent.email : byExternalId }
  })

function managerIn(field: string, person: number): object {
  if (field === 'manager_email') return { manager_email: emailOf(person) }
  if (field === 'manager_external_id') return { manager_external_id: externalIdOf(person) }
  return field === 'manager_id' ? { manager_id: idOf(person) } : {}
}

const anyCall = fc
  .record({
    method: fc.constantFrom<('PUT' | 'PATCH')[]>('PUT', 'PUT', 'PATCH'),
    records: fc.uniqueArray(anyRecord, {
      minLength: 1,
      maxLength: PEOPLE,
      selector: ({ person }) => person,
    }),
    repeated: seldom(1, fc.constant(0)),
    validateOnly: seldom(true, fc.constant(false)),
  })
  .map(({ method, records, repeated, validateOnly }) => {
    const sent = [...records, ...records.slice(0, repeated)].map((record) => record[method])
    return { method, records: sent, validateOnly }
  })

/** The calls of a run, which are made again and again, in one transaction or several; erasures and countries between. */
const anyRun = fc.record({
  calls: fc.array(anyCall, { minLength: 3, maxLength: 8, size: 'max' }),
  isCached: fc.constantFrom(false, false, true),
  nights: fc.array(
    fc.oneof(
      { weight: 20, arbitrary: fc.record({ call: fc.nat(), next: fc.option(fc.nat(), { freq: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ erased: anyPerson }) },
      { weight: 1, arbitrary: fc.record({ country: fc.constantFrom('DE', 'AT', null) }) },
    ),
    { minLength: NIGHTS, maxLength: NIGHTS },
  ),
})
type Run = typeof anyRun extends fc.Arbitrary<infer Value> ? Value : never

const DIFFERENT = new Set(['headers', 'expires_at', 'requested_at', 'duration_ms', 'request_id'])

/** A text of a value, with ids numbered in the order of their appearance, and without what differs anyway. */
function normalize(value: unknown, numbers: Map<string, number>): string {
  const text = JSON.stringify(value, (name, member: unknown) => (DIFFERENT.has(name) ? null : member))
  return text.replaceAll(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size)
    return `#${numbers.get(id)}`
  })
}

/** Makes the calls of a run for a company of its own. Returns what was answered and recorded. */
async function runNights({ calls, isCached, nights }: Run, keepsDigests: boolean): Promise<string[]> {
  const company = await service.makeCompany('Nights')
  const cache = createEmployeeCache(isCached ? CACHE_BYTES : 0)
  const numbers = new Map<string, number>()
  const happened: string[] = []
  const people = Array.from({ length: PEOPLE }, (_, person) => ({
    first_name: 'Ana',
    last_name: `No. ${person}`,
    email: person === PEOPLE - 1 ? null : emailOf(person),
    external_id: externalIdOf(person),
  }))
  const acting = { companyId: company.id, actor: OPERATOR }
  await changeSettings({ pool: service.pool, newId }, acting, { country: 'DE' })
  await commit([largeCall(company, 'PUT', people)])
  for (const night of nights) {
    const ids = await readIds(company.id, keepsDigests)
    if ('country' in night) {
      await changeSettings({ pool: service.pool, newId }, acting, night)
      continue
    }
    if ('erased' in night) {
      happened.push(await erase(company.id, externalIdOf(night.erased)))
      continue
    }
    const made = [night.call, ...(night.next === null ? [] : [night.next])].map((number) => {
      const { method, records, validateOnly } = calls[number % calls.length]!
      return largeCall(company, method, withIds(records, ids), validateOnly)
    })
    for (const { answer } of await commit(made, { cache })) happened.push(normalize(answer, numbers))
  }
  const events = await readEvents(service.db, company.id)
  return [
    ...happened,
    ...events.map(({ type, version, index, data }) => normalize([type, version, index, data], numbers)),
  ]
}

/** The ids of the employees by external id. Unless the company keeps its digests, they are removed. */
async function readIds(companyId: string, keepsDigests: boolean): Promise<Map<string, string>> {
  if (!keepsDigests)
    await service.pool.query('update employee_directory set record_digest = null where company_id = $1', [
      toUuid(companyId),
    ])
  const { rows } = await service.pool.query<{ employee_id: string; external_id: string }>(
    'select employee_id, external_id from employee_directory where company_id = $1 and external_id is not null',
    [toUuid(companyId)],
  )
  return new Map(rows.map((row) => [row.external_id, fromUuid('emp', row.employee_id)]))
}

/** The records with the ids for which they have names; an id of nobody for people who are no employees. */
function withIds(records: object[], ids: ReadonlyMap<string, string>): unknown[] {
  return JSON.parse(JSON.stringify(records), (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(ID_OF)
      ? (ids.get(externalIdOf(Number(member.slice(ID_OF.length)))) ?? NOBODY)
      : member,
  ) as unknown[]
}

async function erase(companyId: string, externalId: string): Promise<string> {
  const acting = { companyId, actor: OPERATOR }
  try {
    await eraseEmployee({ pool: service.pool, newId }, acting, { by: 'external_id', value: externalId })
    return 'erased'
  } catch (error) {
    if (error instanceof RefusedByStateError) return error.problem.code
    throw error
  }
}

/**
 * A person changes once, and then never again. The change leaves no digest, so one is kept as soon as it can be, and
 * spares loads, whatever the random runs do.
 */
const CHANGED_ONCE: Run = {
  calls: [
    {
      method: 'PUT',
      records: [
        {
          external_id: externalIdOf(0),
          first_name: 'Ana',
          last_name: 'No. 0',
          email: emailOf(0),
          job_title: 'Engineer',
        },
      ],
      validateOnly: false,
    },
  ],
  isCached: false,
  nights: Array.from({ length: 6 }, () => ({ call: 0, next: null })),
}

await t.test('a company that keeps digests gets the same answers and events as one without', async (t) => {
  let loaded = { with: 0, without: 0 }
  const countLoads = () => sent.splice(0).filter(({ name }) => name === 'load-employees').length
  await fc.assert(
    fc.asyncProperty(anyRun, async (run) => {
      sent.length = 0
      const withDigests = await runNights(run, true)
      loaded = { ...loaded, with: loaded.with + countLoads() }
      const without = await runNights(run, false)
      loaded = { ...loaded, without: loaded.without + countLoads() }
      assert.deepEqual(withDigests, without)
    }),
    { numRuns: RUNS + 1, examples: [[CHANGED_ONCE]] },
  )
  t.ok(loaded.with < loaded.without, `employees were loaded ${loaded.with} instead of ${loaded.without} times`)
})
