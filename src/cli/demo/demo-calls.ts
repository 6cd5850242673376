import type { RecordResult } from '#domain/employees/employee'
import { fromUuid } from '#domain/ids'
import { GRADES, inventDate, inventEmployee, JOBS, type NewDemoEmployee } from './demo-employees.ts'
import type { SeededRandom } from './seeded-random.ts'

/** An employee of the demo. */
export type DemoEmployee = NewDemoEmployee & { id: string }

/** The state that the demo's calls are built from. */
export interface DemoCompany {
  random: SeededRandom
  nextNumber: number
  people: DemoEmployee[]
}

/** A call of the demo and its expected outcome. */
export interface DemoCall {
  method: 'POST' | 'PATCH'
  path: string
  /** A string is sent unchanged, anything else as JSON. */
  body: unknown
  headers?: Record<string, string>
  /** `created`, `bulk_updated`, the result of a single update, or the code of the problem. */
  outcome: string
}

/** Builds a call from the state at the time of the call. */
type CallFactory = (company: DemoCompany) => DemoCall

/** The maximum number of records per call while the demo runs, whatever the setting is. */
export const DEMO_MAX_RECORDS = 1000

// The first import comes first, because the other calls need employees.
const FIRST_IMPORT = 100
const IMPORTS = [90, 70, 50, 40, 30, 20, 15, 10, 5, 2]
const SINGLE_CREATIONS = 60
const SINGLE_UPDATES: Record<RecordResult, number> = { synced: 82, no_updates: 26, deactivated: 18, reactivated: 12 }
const BULK_UPDATES = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100]
const REPEATED = 3

/** Plans all calls of the demo, in order. */
export function planCalls(random: SeededRandom): CallFactory[] {
  const factories = [
    ...IMPORTS.map(makeCreation),
    ...repeat(SINGLE_CREATIONS, makeCreation(1)),
    ...Object.entries(SINGLE_UPDATES).flatMap(([result, count]) =>
      repeat(count, makeSingleUpdate(result as RecordResult)),
    ),
    ...[...BULK_UPDATES.map(makeBulkUpdate), ...FAILURES].flatMap((factory) => repeat(REPEATED, factory)),
  ]
  return [makeCreation(FIRST_IMPORT), ...random.sample(factories, factories.length)]
}

function repeat(count: number, factory: CallFactory) {
  return Array.from({ length: count }, () => factory)
}

const PATH = '/v1/employees'

/** Makes a call that creates `count` employees, most of them with an existing employee as manager. */
function makeCreation(count: number): CallFactory {
  return (company) => {
    const { random, people, nextNumber } = company
    company.nextNumber += count
    const employees = Array.from({ length: count }, (_, at) => ({
      ...inventEmployee(nextNumber + at, random),
      ...(people.length > 0 && random.chance(0.7) ? { manager_email: pickActive(company).email } : {}),
    }))
    const headers = { 'idempotency-key': employees[0]!.external_id }
    return { method: 'POST', path: PATH, body: { employees }, headers, outcome: 'created' }
  }
}

function pickActive({ random, people }: DemoCompany) {
  return random.pick(people.filter(({ status }) => status !== 'inactive'))
}

function pickInactive({ random, people }: DemoCompany) {
  return random.pick(people.filter(({ status }) => status === 'inactive'))
}

/** Makes a call that updates one employee with this result. */
function makeSingleUpdate(result: RecordResult): CallFactory {
  return (company) => {
    const person = result === 'reactivated' ? pickInactive(company) : pickActive(company)
    const body = changePerson(person, result, company.random)
    return { method: 'PATCH', path: `${PATH}/${person.id}`, body, outcome: result }
  }
}

/** Makes a call that updates `count` employees, each with its own result. */
function makeBulkUpdate(count: number): CallFactory {
  return ({ random, people }) => {
    const locator = random.pick(['id', 'external_id', 'email'] as const)
    const employees = random.sample(people, count).map((person) => {
      const result = person.status === 'inactive' || random.chance(0.25) ? 'no_updates' : 'synced'
      const change = changePerson(person, random.chance(0.08) && result === 'synced' ? 'deactivated' : result, random)
      return { [locator]: person[locator], ...change }
    })
    return { method: 'PATCH', path: PATH, body: { employees }, outcome: 'bulk_updated' }
  }
}

/** Changes a person, and returns the patch that does so in the service. */
function changePerson(person: DemoEmployee, result: RecordResult, random: SeededRandom): object {
  const { last_name, job_title = null } = person
  // The current values, in another spelling where the API normalizes it.
  if (result === 'no_updates') return { last_name: ` ${last_name} `, job_title }
  const department = random.pick(Object.keys(JOBS).filter((other) => other !== person.department))
  const grade = random.pick(GRADES.filter((other) => other !== person.custom_attributes?.['grade']))
  const patch = {
    deactivated: { status: 'inactive', termination_date: inventDate(random, 2026) },
    reactivated: { status: 'active', termination_date: null },
    synced: random.pick([
      { department, job_title: random.pick(JOBS[department]!) },
      { custom_attributes: { grade, reviewed_on: inventDate(random, 2026) } },
    ]),
  }[result]
  Object.assign(person, patch)
  return patch
}

/** Calls that the API refuses. */
const FAILURES: CallFactory[] = [
  () => refused('malformed_json', '{"employees": [{"first_name": "Ana", "last_na'),
  () => refused('invalid_body', { employees: 'see the attached file' }),
  () => refused('empty_batch', { employees: [] }),
  () => ({
    ...refused('unsupported_media_type', 'first_name;last_name;email\nAna;Pérez;ana@demo.example'),
    headers: { 'content-type': 'text/csv' },
  }),
  (company) => refused('batch_too_large', { employees: inventMore(company, DEMO_MAX_RECORDS + 1) }),
  () => refusedUpdate('employee_not_found', fromUuid('emp', '00000000-0000-7000-8000-000000000000'), { phone: null }),
  (company) => ({
    ...refusedUpdate('precondition_failed', pickActive(company).id, { job_title: 'Chief of Staff' }),
    headers: { 'if-match': '"0"' },
  }),
  (company) => ({
    ...refused('idempotency_key_reused', inventMore(company, 1)[0]),
    headers: { 'idempotency-key': company.people[0]!.external_id },
  }),
  (company) => {
    const { email } = pickActive(company)
    const employees = [...inventMore(company, 2), { first_name: 'Ana', last_name: 'Pérez', email }]
    return refused('already_exists', { employees })
  },
  (company) => refusedUpdate('already_exists', pickInactive(company).id, { email: pickActive(company).email }),
  (company) => {
    const { first_name, last_name, email } = pickInactive(company)
    return refused('inactive_employee_exists', { first_name, last_name, email })
  },
  (company) => {
    const [a, b, c, d, ...good] = inventMore(company, 12)
    const employees = [
      { ...a, start_date: '2026-02-30', phone: '030 1234' },
      { ...b, email: 'not an address', salary: 100_000 },
      ...good,
      { ...c, first_name: '   ', last_name: null, status: 'retired' },
      { ...d, job_title: 'x'.repeat(121), custom_attributes: { grade: ['G5'] }, manager_external_id: 'the boss' },
    ]
    return refused('validation_failed', { employees })
  },
  (company) => {
    const [first, second, ...others] = inventMore(company, 6)
    const employees = [first, ...others, { ...second, email: first!.email.toUpperCase() }]
    return refused('validation_failed', { employees })
  },
  (company) =>
    refusedUpdate('validation_failed', pickActive(company).id, { first_name: null, start_date: 'soon', version: 7 }),
  ({ random, people, nextNumber }) => {
    const [one, two, three] = random.sample(people, 3)
    const employees = [
      { id: one!.id, department: 'Legal' },
      { external_id: one!.external_id, department: 'Sales' },
      { email: `nobody.${nextNumber}@demo.example`, department: 'Sales' },
      { department: 'Sales' },
      { id: two!.id, termination_date: '1066-10-14', start_date: '2020-01-01' },
      { email: three!.email, created_at: '2020-01-01T00:00:00.000Z' },
    ]
    return { ...refused('validation_failed', { employees }), method: 'PATCH' }
  },
]

function refused(outcome: string, body: unknown): DemoCall {
  return { method: 'POST', path: PATH, body, outcome }
}

function refusedUpdate(outcome: string, id: string, body: unknown): DemoCall {
  return { method: 'PATCH', path: `${PATH}/${id}`, body, outcome }
}

/** Invents employees without using up their numbers. */
function inventMore({ nextNumber, random }: DemoCompany, count: number): NewDemoEmployee[] {
  return Array.from({ length: count }, (_, at) => inventEmployee(nextNumber + at, random))
}
