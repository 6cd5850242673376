/*
 * Bodies of the load: employees of about 320 bytes with email addresses and external ids that are unique in the run,
 * and patches.
 */

const FIRST_NAMES = ['Ana', 'Björn', 'Chidi', 'Daria', 'Emre', 'Fatou', 'Goran', 'Hana']
const JOBS = ['Accountant', 'Backend engineer', 'Care coordinator', 'Data analyst', 'Electrician']
const DEPARTMENTS = ['Finance', 'Engineering', 'Operations', 'People']
const LOCATIONS = ['Lisbon', 'Lagos', 'Leipzig', 'Lima']

/** An employee as sent. No patch changes the department and the employee number. */
export interface SentEmployee extends Record<string, unknown> {
  department: string
  employee_number: string
}

let serial = 0

/** Returns the next number of a sequence. */
export function nextSerial(): number {
  serial += 1
  return serial
}

export function makeEmployee(): SentEmployee {
  const n = nextSerial()
  return {
    first_name: pick(FIRST_NAMES, n),
    last_name: `Okonkwo-${n.toString(36)}`,
    email: `employee.${n}@example.com`,
    external_id: `hr-${n}`,
    employee_number: String(100_000 + n),
    job_title: pick(JOBS, n),
    department: pick(DEPARTMENTS, n),
    location: pick(LOCATIONS, n),
    phone: '+351210000000',
    start_date: '2024-03-01',
    custom_attributes: { grade: 'C2', cost_center: 4711, remote: n % 2 === 0 },
  }
}

/** Makes a patch of two attributes with new values. */
export function makeChangingPatch(): Record<string, unknown> {
  const n = nextSerial()
  return { job_title: `${pick(JOBS, n)} ${n}`, location: `${pick(LOCATIONS, n)} ${n}` }
}

/** Makes a patch of one attribute with a new value. */
export function makeSmallPatch(): Record<string, unknown> {
  const n = nextSerial()
  return { job_title: `${pick(JOBS, n)} ${n}` }
}

function pick(values: readonly string[], n: number): string {
  return values[n % values.length]!
}
