import { inventEmployee, type NewDemoEmployee } from './demo-employees.ts'
import type { SeededRandom } from './seeded-random.ts'

/** An employee of the demo, as of the last answer. */
export interface DemoEmployee extends NewDemoEmployee {
  id: string
  status: 'active' | 'inactive'
  /** 0 when unknown. */
  version: number
}

/** The state that the demo's calls are built from. */
export interface DemoCompany {
  random: SeededRandom
  nextNumber: number
  people: DemoEmployee[]
  /** The idempotency keys sent so far. */
  idempotencyKeys: string[]
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
  /** Updates the state from the answer of a successful call. */
  onAnswer?(answer: DemoAnswer): void
}

/** The fields of an answer that the demo reads. */
export interface DemoAnswer {
  code?: string
  detail?: string
  result?: string
  employees?: DemoEmployee[]
  employee?: DemoEmployee
}

/** Builds a call from the state at the time of the call. */
export type CallFactory = (company: DemoCompany) => DemoCall

export const EMPLOYEES_PATH = '/v1/employees'

/** Invents employees for a call that will be refused; does not use up their numbers. */
export function inventUnnumbered(
  { nextNumber, random }: DemoCompany,
  count: number,
  invent = inventEmployee,
): NewDemoEmployee[] {
  return Array.from({ length: count }, (_, at) => invent(nextNumber + at, random))
}

/** Invents employees for a call that will succeed, and uses up their numbers. */
export function inventNumbered(company: DemoCompany, count: number, invent = inventEmployee): NewDemoEmployee[] {
  const employees = inventUnnumbered(company, count, invent)
  company.nextNumber += count
  return employees
}

/** Picks an employee with this status. */
export function pickEmployee({ random, people }: DemoCompany, status: DemoEmployee['status']): DemoEmployee {
  return random.pick(people.filter((person) => person.status === status))
}
