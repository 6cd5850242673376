import { setTimeout as pause } from 'node:timers/promises'
import { seededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Operation as CallKind } from '../../src/domain/operations.ts'

/** A company with one API key, as used by the load. */
export interface LoadedCompany {
  companyId: string
  key: { api_id: string; api_key: string }
}

/** The outcome of one try of a request. */
export interface Attempt {
  /** The start in milliseconds since the load began, and the duration. */
  at: number
  took: number
  /** Null when there was no answer. */
  status: number | null
  code: string | null
  retryAfter: boolean
  /** The size of the answer's body. */
  bytes: number
}

/** One call of a client with all its tries, which share an idempotency key and a request id. */
export interface Operation {
  id: string
  companyId: string
  apiId: string
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  /** The body, sent as JSON; a string is sent unchanged. */
  body: unknown
  /** How many records its entry counts, if the body does not show that. */
  records?: number
  /** It was never sent completely. */
  isCutOff?: boolean
  /** A hostile caller sent it. */
  isHostile?: true
  /** An identity provider sent it, which is tried once: it has no idempotency keys, and isn't told what the entry is. */
  isOfProvider?: boolean
  attempts: Attempt[]
  /** The definite answer in the end; null when the load ended first. */
  final: { status: number; body: AnswerBody } | null
  /** The answer when some calls are sent once more with the same key. */
  again: { status: number; body: AnswerBody } | null
}

interface AnswerBody {
  log_id?: string
  code?: string
  employees?: { id: string; email: string }[]
  results?: { index: number; id: string | null; result: string; changed: string[] }[]
}

export interface Load {
  operations: Operation[]
  /** Milliseconds since the load began. */
  now(): number
  /** From here on, clients use what the previous release doesn't know. */
  useAll(): void
  /** Ends the load: calls in progress are retried until they are answered or time is up. */
  end(): Promise<void>
}

export interface LoadOptions {
  clients: number
  seed: number
  /** How long a call is retried until it has a definite answer. */
  resolveWithinMs?: number
  /** How long a client rests between two calls, in milliseconds: 0 uses all of the machine. */
  restMs?: number
  /** Makes only calls that the previous release knows, until it is told to use all. */
  isForPrevious?: boolean
}

/** The rest in tests that run beside others: some calls are under way at any time. */
export const SHORT_REST_MS = 100

const ANSWER_WITHIN_MS = 15_000
const RESOLVE_WITHIN_MS = 90_000
const RETRY_AFTER_MS = 150
const MAX_RECORDS = 12
const KNOWN_AT_MOST = 500
const SENT_AGAIN = 0.1
/** Each client starts with calls of each kind, so that none depends on luck: the dice of `nextCall` by what they do. */
const FIRST_DICE: Readonly<Record<CallKind, readonly number[]>> = {
  create: [40, 0, 84, 89],
  update_many: [96, 92, 65, 78],
  update_one: [50, 73, 99],
  upsert: [69, 70],
  // The administrator undoes files.
  undo: [],
}
const FIRST_ROLLED = Object.values(FIRST_DICE).flat()

interface Wanted {
  method: 'POST' | 'PATCH' | 'PUT'
  path: string
  body: unknown
}

/** The employees that a company's clients know. */
interface Known {
  random: SeededRandom
  ids: string[]
  emails: string[]
  externalIds: string[]
}

/** Starts clients that call the program, each one call after the other, until the load is ended. */
export function startLoad(
  addresses: string[],
  companies: LoadedCompany[],
  { clients, seed, resolveWithinMs = RESOLVE_WITHIN_MS, restMs = 0, isForPrevious = false }: LoadOptions,
): Load {
  const operations: Operation[] = []
  const started = performance.now()
  const now = () => performance.now() - started
  const over = new AbortController()
  let usesAll = !isForPrevious
  const known = new Map<string, Known>(
    companies.map(({ companyId }, at) => [
      companyId,
      { random: seededRandom(seed + at), ids: [], emails: [], externalIds: [] },
    ]),
  )

  async function client(number: number): Promise<void> {
    // With more companies than clients, each client rotates through its own.
    const own = companies.filter((_, at) => at % clients === number % Math.min(clients, companies.length))
    const random = seededRandom(seed * 1_000 + number)
    for (let count = 0; !over.signal.aborted; count += 1) {
      const id = `op-${seed}-${number}-${count}`
      const company = own[count % own.length]!
      const people = known.get(company.companyId)!
      const dice = random.below(100)
      const any = nextCall(FIRST_ROLLED[count] ?? dice, random, people, id)
      const wanted = usesAll || !any.path.includes('?') ? any : create(id, 1)
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
      if (restMs > 0) await pause(restMs)
    }
  }

  const running = Array.from({ length: clients }, (_, number) => client(number))
  return {
    operations,
    now,
    useAll: () => void (usesAll = true),
    async end() {
      over.abort()
      await Promise.all(running)
    },
  }
}

/** How many records of a call its entry counts. */
export function recordsOf({ method, path, body, records, isOfProvider = false }: Operation): number {
  if (records !== undefined) return records
  const isOne = isOfProvider || (method === 'PATCH' && path.startsWith('/v1/employees/'))
  return isOne ? 1 : (body as { employees: unknown[] }).employees.length
}

/** Sends a call once. Returns the definite answer, or null if there is none. */
export async function attempt(
  address: string,
  { key }: Pick<LoadedCompany, 'key'>,
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
        ...(operation.isOfProvider
          ? { authorization: `Bearer ${key.api_id}.${key.api_key}` }
          : { 'x-api-id': key.api_id, 'x-api-key': key.api_key, 'idempotency-key': operation.id }),
        ...(operation.body === undefined ? {} : { 'content-type': 'application/json' }),
        'x-request-id': operation.id,
      },
      body: bodyOf(operation),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await response.text()
    tried.bytes = Buffer.byteLength(text)
    const body = (text === '' ? {} : JSON.parse(text)) as AnswerBody
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

function bodyOf({ body }: Operation): string | null {
  if (body === undefined) return null
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function learn(people: Known, { final, body }: Operation): void {
  if (final === null || final.status >= 300) return
  const { employees, results = [] } = final.body
  for (const { id, email } of employees ?? []) know(people, id, email)
  if (employees) return
  for (const { index, id, result } of results) {
    if (result !== 'created') continue
    const { email, external_id: externalId } = (body as { employees: UpsertRecord[] }).employees[index]!
    if (know(people, id!, email!) && externalId !== undefined) people.externalIds.push(externalId)
  }
}

function know(people: Known, id: string, email: string): boolean {
  if (people.ids.length >= KNOWN_AT_MOST) return false
  people.ids.push(id)
  people.emails.push(email)
  return true
}

function nextCall(dice: number, random: SeededRandom, people: Known, id: string): Wanted {
  if (people.ids.length < 4 || dice < 30) return create(id, 1)
  if (dice < 45) return create(id, 2 + random.below(MAX_RECORDS - 1))
  const one = () => random.pick(people.ids)
  const patch = (path: string, body: unknown): Wanted => ({ method: 'PATCH', path, body })
  if (dice < 60) return patch(`/v1/employees/${one()}`, { job_title: id, external_id: id })
  if (dice < 66) {
    const some = random.sample(people.ids, 2 + random.below(6))
    return patch('/v1/employees', { employees: some.map((employee) => ({ id: employee, department: id })) })
  }
  if (dice === 70 || dice === 71) return link(id, random, people)
  if (dice < 73) return upsert(id, random, people, dice === 72)
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
  if (dice < 95) return partly(id, random, people)
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

interface UpsertRecord {
  email?: string
  external_id?: string
}

/** Known employees by their email addresses or external ids, and new ones; perhaps with a record that is refused. */
function upsert(id: string, random: SeededRandom, people: Known, isBad: boolean): Wanted {
  const employees: UpsertRecord[] = [
    ...random.sample(people.emails, random.below(3)).map((email) => ({ email, location: id })),
    ...random.sample(people.externalIds, random.below(2)).map((externalId) => ({
      external_id: externalId,
      location: id,
      status: random.chance(0.3) ? 'inactive' : 'active',
    })),
    ...Array.from({ length: 1 + random.below(3) }, (_, at) => ({ ...person(id, at), external_id: `${id}-${at}` })),
    ...(isBad ? [{ external_id: `${id}-nobody` }] : []),
  ]
  return { method: 'PUT', path: '/v1/employees', body: { employees } }
}

/** External ids for people who may have none yet, found by their addresses. */
function link(id: string, random: SeededRandom, people: Known): Wanted {
  const employees = random
    .sample(people.emails, 1 + random.below(2))
    .map((email, at) => ({ ...person(id, at), email, external_id: `${id}-${at}` }))
  return { method: 'PUT', path: '/v1/employees?link_by_email=true', body: { employees } }
}

/** A call that applies what it can: one record is good, one is wrong, and one needs the wrong one. */
function partly(id: string, random: SeededRandom, people: Known): Wanted {
  const [one, other] = random.sample(people.ids, 2)
  const boss = { ...person(id, 0), phone: 'x' }
  const wanted = random.pick<Wanted>([
    {
      method: 'POST',
      path: '',
      body: { employees: [boss, { ...person(id, 1), manager_email: boss.email }, person(id, 2)] },
    },
    { method: 'PUT', path: '', body: { employees: [person(id, 0), boss, { email: people.emails[0], location: id }] } },
    {
      method: 'PATCH',
      path: '',
      body: { employees: [{ id: one, job_title: id }, { id: other, phone: 'x' }, { id: id }] },
    },
  ])
  return { ...wanted, path: '/v1/employees?all_or_none=false' }
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
