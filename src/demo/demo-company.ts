import type { NewDemoEmployee } from './demo-employees.ts'
import type { SeededRandom } from './seeded-random.ts'

/** An employee of the demo as the last answer told. */
export interface DemoEmployee extends NewDemoEmployee {
  id: string
  status: 'active' | 'inactive'
  /** 0 when it is not known. */
  version: number
}

/** What the demo's calls are made from: the employees so far, and what the next one is numbered. */
export interface DemoCompany {
  random: SeededRandom
  nextNumber: number
  people: DemoEmployee[]
  /** The idempotency keys that were sent so far. */
  idempotencyKeys: string[]
}

/** One call of the demo and what it is made to come to. */
export interface DemoCall {
  method: 'POST' | 'PATCH'
  path: string
  /** Sent as it is when it is a text, else as JSON. */
  body: unknown
  headers?: Record<string, string>
  /** `created`, `bulk_updated`, the result of a single update, or the code of the problem. */
  outcome: string
  /** Takes over what the answer of a successful call tells. */
  onAnswer?(answer: DemoAnswer): void
}

/** The parts of an answer that the demo looks at. */
export interface DemoAnswer {
  code?: string
  detail?: string
  result?: string
  employees?: DemoEmployee[]
  employee?: DemoEmployee
}

/** A call that is made up when its turn comes, from what the company is by then. */
export type CallFactory = (company: DemoCompany) => DemoCall

export const EMPLOYEES_PATH = '/v1/employees'

type Invention = (number: number, random: SeededRandom) => NewDemoEmployee

/** Invents so many employees with the next numbers, for a call that will be refused: the numbers stay free. */
export function inventUnnumbered(
  { nextNumber, random }: DemoCompany,
  count: number,
  employee: Invention,
): NewDemoEmployee[] {
  return Array.from({ length: count }, (_, at) => employee(nextNumber + at, random))
}

/** Invents so many employees who will be created. */
export function inventNumbered(company: DemoCompany, count: number, employee: Invention): NewDemoEmployee[] {
  const employees = inventUnnumbered(company, count, employee)
  company.nextNumber += count
  return employees
}

/** Somebody of this status. */
export function pickEmployee({ random, people }: DemoCompany, status: DemoEmployee['status']): DemoEmployee {
  return random.pick(people.filter((person) => person.status === status))
}
