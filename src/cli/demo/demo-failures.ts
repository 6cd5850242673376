import { fromUuid } from '#domain/ids'
import {
  type DemoCall,
  type DemoCompany,
  type CallFactory,
  EMPLOYEES_PATH,
  inventUnnumbered,
  pickEmployee,
} from './demo-company.ts'

/** Calls that the API refuses, by reason. */
export const FAILURES: Record<string, CallFactory> = {
  cutOffJson: () =>
    makeRefused('POST', EMPLOYEES_PATH, '{"employees": [{"first_name": "Ana", "last_na', 'malformed_json'),

  cutOffPatch: (company) => makeRefused('PATCH', pickEmployeePath(company), '{"job_title": "Accou', 'malformed_json'),

  wrongTopLevel: () => makeRefused('POST', EMPLOYEES_PATH, { employees: 'see the attached file' }, 'invalid_body'),

  patchOfManyThatIsNone: () => makeRefused('PATCH', EMPLOYEES_PATH, { department: 'Finance' }, 'invalid_body'),

  spreadsheet(company) {
    const rows = inventUnnumbered(company, 3).map((e) => [e.first_name, e.last_name, e.email].join(';'))
    const body = ['first_name;last_name;email', ...rows].join('\n')
    return {
      ...makeRefused('POST', EMPLOYEES_PATH, body, 'unsupported_media_type'),
      headers: { 'content-type': 'text/csv' },
    }
  },

  nobody: () => makeRefused('POST', EMPLOYEES_PATH, { employees: [] }, 'empty_batch'),

  nobodyToUpdate: () => makeRefused('PATCH', EMPLOYEES_PATH, [], 'empty_batch'),

  tooMany(company) {
    const employees = inventUnnumbered(company, DEMO_MAX_RECORDS + 1)
    return makeRefused('POST', EMPLOYEES_PATH, { employees }, 'batch_too_large')
  },

  unknownEmployee: ({ random }) =>
    makeRefused(
      'PATCH',
      `${EMPLOYEES_PATH}/${unknownId(random.below(1e9))}`,
      { status: 'inactive' },
      'employee_not_found',
    ),

  staleVersion: (company) => ({
    ...makeRefused('PATCH', pickEmployeePath(company), { job_title: 'Chief of Staff' }, 'precondition_failed'),
    headers: { 'if-match': '"0"' },
  }),

  keyOfAnotherCall(company) {
    const [employee] = inventUnnumbered(company, 1)
    const headers = { 'idempotency-key': company.random.pick(company.idempotencyKeys) }
    return { ...makeRefused('POST', EMPLOYEES_PATH, employee, 'idempotency_key_reused'), headers }
  },

  alreadyThere(company) {
    const { email } = pickEmployee(company, 'active')
    const employees = [...inventUnnumbered(company, 2), { first_name: 'Ana', last_name: 'Pérez', email }]
    return makeRefused('POST', EMPLOYEES_PATH, { employees }, 'already_exists')
  },

  addressOfAnother(company) {
    const [one, other] = company.random.sample(
      company.people.filter(({ status }) => status === 'active'),
      2,
    )
    return makeRefused('PATCH', `${EMPLOYEES_PATH}/${one!.id}`, { email: other!.email.toUpperCase() }, 'already_exists')
  },

  comesBack(company) {
    const { first_name, last_name, email } = pickEmployee(company, 'inactive')
    return makeRefused('POST', EMPLOYEES_PATH, { first_name, last_name, email }, 'inactive_employee_exists')
  },

  faultyImport(company) {
    const [a, b, c, d, e, ...good] = inventUnnumbered(company, 12)
    const employees = [
      { ...a, start_date: '2026-02-30', phone: '030 1234' },
      { ...b, email: 'not an address', salary: 100_000 },
      ...good,
      { ...c, first_name: '   ', last_name: null },
      { first_name: d!.first_name, status: 'retired' },
      { ...e, job_title: 'x'.repeat(121), custom_attributes: { grade: ['G5'] }, manager_external_id: 'the boss' },
    ]
    return makeRefused('POST', EMPLOYEES_PATH, { employees }, 'validation_failed')
  },

  twiceInOneImport(company) {
    const [first, second, ...others] = inventUnnumbered(company, 6)
    const employees = [first, ...others, { ...second, email: first!.email.toUpperCase() }]
    return makeRefused('POST', EMPLOYEES_PATH, { employees }, 'validation_failed')
  },

  faultyPatch(company) {
    const patch = { first_name: null, start_date: 'soon', version: 7, nickname: 'Bob' }
    return makeRefused('PATCH', pickEmployeePath(company), patch, 'validation_failed')
  },

  faultyBulkUpdate(company) {
    const [one, two, three] = company.random.sample(company.people, 3)
    const records = [
      { id: one!.id, department: 'Legal' },
      { external_id: one!.external_id, department: 'Sales' },
      { email: `nobody.${company.nextNumber}@demo.example`, department: 'Sales' },
      { department: 'Sales' },
      { id: two!.id, termination_date: '1066-10-14', start_date: '2020-01-01' },
      { email: three!.email, created_at: '2020-01-01T00:00:00.000Z' },
    ]
    return makeRefused('PATCH', EMPLOYEES_PATH, { employees: records }, 'validation_failed')
  },
}

/** The maximum number of records per call while the demo runs, whatever the setting is. */
export const DEMO_MAX_RECORDS = 1000

function makeRefused(method: DemoCall['method'], path: string, body: unknown, code: string): DemoCall {
  return { method, path, body, outcome: code }
}

function pickEmployeePath(company: DemoCompany): string {
  return `${EMPLOYEES_PATH}/${pickEmployee(company, 'active').id}`
}

/** The valid id of an employee that does not exist. */
function unknownId(number: number): string {
  return fromUuid('emp', `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`)
}
