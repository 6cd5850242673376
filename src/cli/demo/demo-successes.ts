import type { RecordResult } from '#domain/employees/employee'
import {
  type DemoCompany,
  type DemoEmployee,
  type CallFactory,
  EMPLOYEES_PATH,
  inventNumbered,
  pickEmployee,
} from './demo-company.ts'
import { GRADES, inventDate, inventEmployee, inventImported, JOBS } from './demo-employees.ts'
import type { SeededRandom } from './seeded-random.ts'

type Patch = Record<string, unknown>

const THIS_YEAR = 2026
// Bulk updates keep this many former employees for the calls that need one.
const FORMER_KEPT = 15

/** Makes a call that creates `count` employees. */
export function makeCreation(count: number): CallFactory {
  return (company) => {
    const idempotencyKey = `demo-${company.nextNumber}`
    const invented = inventNumbered(company, count, count > 1 ? inventImported : inventEmployee)
    const employees = invented.map((employee) => ({ ...employee, ...pickManager(company) }))
    const headers: Record<string, string> = count > 1 ? { 'idempotency-key': idempotencyKey } : {}
    for (const key of Object.values(headers)) company.idempotencyKeys.push(key)
    const onAnswer: ReturnType<CallFactory>['onAnswer'] = (answer) => {
      for (const person of answer.employees ?? []) company.people.push(person)
    }
    const body = count === 1 && company.random.chance(0.5) ? employees[0] : { employees }
    return { method: 'POST', path: EMPLOYEES_PATH, body, headers, outcome: 'created', onAnswer }
  }
}

/** Most employees get an existing employee as manager. */
function pickManager(company: DemoCompany): { manager_email?: string } {
  const hasOne = company.people.length > 0 && company.random.chance(0.7)
  return hasOne ? { manager_email: pickEmployee(company, 'active').email } : {}
}

/** Makes a call that updates one employee with this result. */
export function makeSingleUpdate(result: RecordResult): CallFactory {
  return (company) => {
    const person = pickEmployee(company, result === 'reactivated' ? 'inactive' : 'active')
    return {
      method: 'PATCH',
      path: `${EMPLOYEES_PATH}/${person.id}`,
      body: makePatch(result, person, company.random),
      headers: {
        ...(company.random.chance(0.5) ? { 'content-type': 'application/merge-patch+json' } : {}),
        ...(person.version > 0 && company.random.chance(0.3) ? { 'if-match': `"${person.version}"` } : {}),
      },
      outcome: result,
      onAnswer: (answer) => Object.assign(person, answer.employee),
    }
  }
}

/** Makes a call that updates up to `count` employees, each with its own result. */
export function makeBulkUpdate(count: number): CallFactory {
  return (company) => {
    const { random } = company
    const locator = random.pick(['id', 'external_id', 'email'] as const)
    const people = random.sample(company.people, count)
    const patches = people.map((person) => makePatch(pickResult(company, person), person, random, locator))
    const records = people.map((person, at) => ({ [locator]: person[locator], ...patches[at] }))
    const onAnswer = () => people.forEach((person, at) => applyPatch(person, patches[at]!))
    const body = random.chance(0.5) ? records : { employees: records }
    return { method: 'PATCH', path: EMPLOYEES_PATH, body, outcome: 'bulk_updated', onAnswer }
  }
}

function pickResult({ random, people }: DemoCompany, { status }: DemoEmployee): RecordResult {
  if (random.chance(0.25)) return 'no_updates'
  if (status === 'active') return random.chance(0.08) ? 'deactivated' : 'synced'
  const former = people.filter((person) => person.status === 'inactive').length
  return former > FORMER_KEPT && random.chance(0.15) ? 'reactivated' : 'no_updates'
}

/** `locator` is the field that identifies the employee in a bulk update and must not change. */
function makePatch(result: RecordResult, person: DemoEmployee, random: SeededRandom, locator?: string): Patch {
  switch (result) {
    case 'deactivated':
      return { status: 'inactive', termination_date: inventDate(random, THIS_YEAR, 1) }
    case 'reactivated':
      return { status: 'active', termination_date: null }
    case 'no_updates':
      return makeUnchanged(person, locator)
    case 'synced':
      return random.pick([makePromotion, makeTransfer, makePhoneChange])(person, random)
  }
}

/** The current values, in another spelling where the API normalizes it. */
function makeUnchanged(person: DemoEmployee, locator: string | undefined): Patch {
  const { job_title = null, location = null, last_name, email } = person
  const names = { last_name: ` ${last_name} `, job_title, location }
  return locator === undefined || locator === 'id' ? { ...names, email: email.toUpperCase() } : names
}

function makePromotion({ custom_attributes }: DemoEmployee, random: SeededRandom): Patch {
  const grade = random.pick(GRADES.filter((other) => other !== custom_attributes?.['grade']))
  return { custom_attributes: { grade, language: null, reviewed_on: inventDate(random, THIS_YEAR, 1) } }
}

function makeTransfer({ department }: DemoEmployee, random: SeededRandom): Patch {
  const to = random.pick(Object.keys(JOBS).filter((other) => other !== department))
  return { department: to, job_title: random.pick(JOBS[to]!) }
}

function makePhoneChange({ phone }: DemoEmployee, random: SeededRandom): Patch {
  const next = `+49300000${1000 + random.below(9000)}`
  return phone === next ? { phone: null } : { phone: next }
}

/** Applies a JSON Merge Patch (RFC 7396). */
function applyPatch(person: DemoEmployee, { custom_attributes: custom, ...rest }: Patch): void {
  // The answer to a bulk update has no versions.
  Object.assign(person, rest, { version: 0 })
  if ('last_name' in rest) person.last_name = person.last_name.trim()
  if ('email' in rest) person.email = person.email.toLowerCase()
  if (custom === undefined) return
  const merged = Object.entries({ ...person.custom_attributes, ...(custom as Record<string, string | null>) })
  person.custom_attributes = Object.fromEntries(merged.filter((entry) => entry[1] !== null)) as Record<string, string>
}
