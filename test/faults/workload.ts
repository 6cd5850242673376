import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import type { SeededRandom } from '../../src/demo/seeded-random.ts'

/** A company with one API key, as the load uses it. */
export interface LoadedCompany {
  companyId: string
  key: { api_id: string; api_key: string }
}

/** What one try of a request met. */
export interface Attempt {
  /** Milliseconds since the load began, and how long it took. */
  at: number
  took: number
  /** Null when there was no answer. */
  status: number | null
  code: string | null
  retryAfter: boolean
  /** Of the body of its answer. */
  bytes: number
}

/** One call that a client wanted, with all its tries: each has the same idempotency key and the same request id. */
export interface Operation {
  id: string
  companyId: string
  apiId: string
  method: 'POST' | 'PATCH'
  path: string
  /** What is sent as JSON; a string is sent as it is. */
  body: unknown
  /** How many records its entry counts, where the body does not tell. */
  records?: number
  /** It was never sent to its end. */
  isCutOff?: boolean
  /** A hostile caller sent it. */
  isHostile?: true
  attempts: Attempt[]
  /** What was definitely answered in the end; null when the end of the load came first. */
  final: { status: number; body: AnswerBody } | null
  /** What some calls are answered that are sent once more after that, with the same key. */
  again: { status: number; body: AnswerBody } | null
}

interface AnswerBody {
  log_id?: string
  code?: string
  employees?: { id: string; email: string }[]
  results?: { id: string; result: string; changed: string[] }[]
}

export interface Load {
  operations: Operation[]
  /** Milliseconds since the load began. */
  now(): number
  /** Ends the load: calls under way are tried until they are answered or the patience is over. */
  end(): Promise<void>
}

export interface LoadOptions {
  clients: number
  seed: number
  /** How long a call is tried until it is definitely answered. */
  resolveWithinMs?: number
}

const ANSWER_WITHIN_MS = 15_000
const RESOLVE_WITHIN_MS = 90_000
const RETRY_AFTER_MS = 150
const MAX_RECORDS = 12
const KNOWN_AT_MOST = 500
const SENT_AGAIN = 0.1
/** Each client begins with a call of each kind, so that none of them comes by luck alone. */
const FIRST_DICE = [40, 0, 93, 50, 65, 73, 78, 84, 89, 99]

interface Wanted {
  method: 'POST' | 'PATCH'
  path: string
  body: unknown
}

/** Whom the clients of a company know of. */
interface Known {
  random: SeededRandom
  ids: string[]
  emails: string[]
}

/** Starts clients that call the program, each one call after the other, until the load is ended. */
export function startLoad(
  addresses: string[],
  companies: LoadedCompany[],
  { clients, seed, resolveWithinMs = RESOLVE_WITHIN_MS }: LoadOptions,
): Load {
  const operations: Operation[] = []
  const started = performance.now()
  const now = () => performance.now() - started
  const over = new AbortController()
  const known = new Map<string, Known>(
    companies.map(({ companyId }, at) => [companyId, { random: seededRandom(seed + at), ids: [], emails: [] }]),
  )

  async function client(number: number): Promise<void> {
    // Where there are more companies than clients, each client goes round those that are its own.
    const own = companies.filter((_, at) => at % clients === number % Math.min(clients, companies.length))
    const random = seededRandom(seed * 1_000 + number)
    for (let count = 0; !over.signal.aborted; count += 1) {
      const id = `op-${seed}-${number}-${count}`
      const company = own[count % own.length]!
      const people = known.get(company.companyId)!
      const dice = random.below(100)
      const wanted = nextCall(FIRST_DICE[count] ?? dice, random, people, id)
      const operation: Operation = {
        id,
        companyId: company.companyId,
        apiId: company.key.api_id,
        ...wanted,
        attempts: [],
        final: null,
        again: null,
      }
      operations.push(operation)
      const deadline = now() + resolveWithinMs
      while (operation.final === null && now() < deadline) {
        const address = addresses[random.below(addresses.length)]!
        operation.final = await attempt(address, company, operation, now)
        if (operation.final === null) await pause(RETRY_AFTER_MS)
      }
      if (operation.final && random.chance(SENT_AGAIN))
        operation.again = await attempt(addresses[0]!, company, operation, now)
      learn(people, operation)
    }
  }

  const running = Array.from({ length: clients }, (_, number) => client(number))
  return {
    operations,
    now,
    async end() {
      over.abort()
      await Promise.all(running)
    },
  }
}

/** How many records a call has, as its entry counts them. */
export function recordsOf({ method, path, body, records }: Operation): number {
  if (records !== undefined) return records
  const isOne = method === 'PATCH' && path !== '/v1/employees'
  return isOne ? 1 : (body as { employees: unknown[] }).employees.length
}

/** Sends a call once. Returns what it was definitely answered; null when that is not known. */
export async function attempt(
  address: string,
  { key }: LoadedCompany,
  operation: Operation,
  now: () => number,
): Promise<Operation['final']> {
  const at = now()
  const tried: Attempt = { at, took: 0, status: null, code: null, retryAfter: false, bytes: 0 }
  operation.attempts.push(tried)
  try {
    const response = await fetch(address + operation.path, {
      method: operation.method,
      headers: {
        ...{ 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'content-type': 'application/json' },
        ...{ 'idempotency-key': operation.id, 'x-request-id': operation.id },
      },
      body: typeof operation.body === 'string' ? operation.body : JSON.stringify(operation.body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await response.text()
    tried.bytes = Buffer.byteLength(text)
    const body = JSON.parse(text) as AnswerBody
    tried.status = response.status
    tried.code = body.code ?? null
    tried.retryAfter = response.headers.has('retry-after')
    const isUnknown = response.status >= 500 || body.code === 'idempotency_in_progress'
    return isUnknown ? null : { status: response.status, body }
  } catch {
    return null
  } finally {
    tried.took = now() - at
  }
}

function learn(people: Known, { final }: Operation): void {
  for (const { id, email } of final?.status === 201 ? (final.body.employees ?? []) : []) {
    if (people.ids.length >= KNOWN_AT_MOST) return
    people.ids.push(id)
    people.emails.push(email)
  }
}

function nextCall(dice: number, random: SeededRandom, people: Known, id: string): Wanted {
  if (people.ids.length < 4 || dice < 30) return create(id, 1)
  if (dice < 45) return create(id, 2 + random.below(MAX_RECORDS - 1))
  const one = () => random.pick(people.ids)
  const patch = (path: string, body: unknown): Wanted => ({ method: 'PATCH', path, body })
  if (dice < 60) return patch(`/v1/employees/${one()}`, { job_title: id, external_id: id })
  if (dice < 70) {
    const some = random.sample(people.ids, 2 + random.below(6))
    return patch('/v1/employees', { employees: some.map((employee) => ({ id: employee, department: id })) })
  }
  if (dice < 76) return patch(`/v1/employees/${one()}`, { status: random.chance(0.5) ? 'inactive' : 'active' })
  if (dice < 82)
    return patch('/v1/employees', { employees: random.sample(people.ids, 3).map((employee) => ({ id: employee })) })
  if (dice < 88)
    return {
      ...create(id, 1),
      body: { employees: [{ first_name: 'X', last_name: 'Y', email: random.pick(people.emails) }] },
    }
  if (dice < 90)
    return { ...create(id, 2), body: { employees: [person(id, 0), { ...person(id, 1), email: 'nobody' }] } }
  if (dice < 98) {
    const [good, bad] = random.sample(people.ids, 2)
    return patch('/v1/employees', {
      employees: [
        { id: good, job_title: id },
        { id: bad, phone: 'x' },
      ],
    })
  }
  return patch('/v1/employees/emp_01hzzzzzzzfzz8zzzzzzzzzzzz', { job_title: id })
}

function create(id: string, count: number): Wanted {
  return {
    method: 'POST',
    path: '/v1/employees',
    body: { employees: Array.from({ length: count }, (_, at) => person(id, at)) },
  }
}

function person(id: string, at: number) {
  return { first_name: 'Ana', last_name: id, email: `${id}-${at}@example.com`, employee_number: id }
}
