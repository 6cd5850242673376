import type { CallCounts, RecordedEvent } from '../../../src/domain/events.ts'
import { rulesOf } from '../../../src/domain/operations.ts'
import type { RecordEventType } from '../../../src/domain/event-types.ts'
import type { Operation } from '../workload.ts'
import { recordsOf } from '../workload.ts'
import type { Finding, FindingKind } from './finding.ts'
import { findings } from './finding.ts'

/* What the oracle expects of each call in the ledger: its effect, its content and its counts. */

export type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

export interface Call {
  id: string
  closing: Closing
  /** The call's other events. */
  events: RecordedEvent[]
}

export function callsOf(events: RecordedEvent[]): Map<string, Call> {
  const open = new Map<string, RecordedEvent[]>()
  const calls = new Map<string, Call>()
  for (const event of events) {
    if (event.call_id === null) continue
    if (event.type === 'ApiCallCompleted' || event.type === 'ApiCallFailed') {
      calls.set(event.call_id, { id: event.call_id, closing: event, events: open.get(event.call_id) ?? [] })
    } else open.set(event.call_id, [...(open.get(event.call_id) ?? []), event])
  }
  return calls
}

/** Whom an identity provider deletes counts as deactivated, also if they were inactive before. */
const LEAVING: ReadonlySet<string> = new Set(['EmployeeDeactivated', 'EmployeeDeprovisioned'])
/** Refusals that bind an idempotency key: a retry finds the same call. */
const BOUND = new Set([404, 409, 412, 422])
const UNBOUND = new Set(['idempotency_key_reused', 'limit_reached'])
const REQUEST_TIMEOUT = 408

/** Whether a retry finds the same call: successes and such refusals. */
function isBound({ status, body }: NonNullable<Operation['final']>): boolean {
  return status < 300 || (BOUND.has(status) && !UNBOUND.has(body.code ?? ''))
}

/**
 * A success is in the ledger exactly once, a refusal changes only its entry, and an unknown outcome has at most one
 * effect.
 */
export function effectFaults(operation: Operation, own: Call[]): Finding[] {
  const { id, final, again } = operation
  const [completed, failed] = [own.filter(isCompleted), own.filter((call) => !isCompleted(call))]
  const found: Finding[] = []
  const find = (kind: FindingKind, what: string) => found.push({ kind, text: `${id}: ${what}` })
  if (operation.isCutOff) {
    if (own.length > 0) find('cut off and stored', `was cut off, has ${own.length} entries`)
    return found
  }
  if (operation.method === 'GET') {
    if (own.length > 0) find('read and stored', `only reads, has ${own.length} entries`)
    return found
  }
  for (const call of failed)
    if (call.events.some(({ type }) => type !== 'EmployeeRecordRejected' && Object.hasOwn(FLAGS, type)))
      find('failed and applied', `the failed call ${call.id} changed employees`)
  for (const { id: callId, closing } of own) {
    const [counted, sent] = [closing.data?.counts.total, recordsOf(operation)]
    if (counted !== sent) find('wrong counts', `${sent} records were sent, ${callId} counts ${counted}`)
  }
  if (final === null) {
    if (completed.length > 1) find('doubled call', `an unknown outcome took effect ${completed.length} times`)
    return found
  }
  if (again && isBound(final) && again.body.log_id !== final.body.log_id)
    find('repeated call', `answered ${final.body.log_id}, and ${again.body.log_id} when it was sent again`)
  if (final.status >= 300) return [...found, ...refusalFaults(operation, final, { completed, failed })]
  if (completed.length !== 1)
    find(
      completed.length === 0 ? 'lost call' : 'doubled call',
      `answered ${final.status}, stands in the ledger ${completed.length} times`,
    )
  const call = completed[0]
  if (call && !operation.isOfProvider && call.id !== final.body.log_id)
    find('other call', `answered ${final.body.log_id}, the ledger has ${call.id}`)
  if (call) found.push(...findings('wrong content', contentFaults(id, final.body, operation.body, call)))
  return found
}

export function isCompleted({ closing }: Call): boolean {
  return closing.type === 'ApiCallCompleted'
}

/**
 * A refusal has an entry, and exactly one if it bound the idempotency key. A rate-limited or incomplete call has
 * none.
 */
function refusalFaults(
  { id, attempts, isOfProvider = false }: Operation,
  { status, body }: NonNullable<Operation['final']>,
  { completed, failed }: { completed: Call[]; failed: Call[] },
): Finding[] {
  const found: Finding[] = []
  const find = (kind: FindingKind, what: string) => found.push({ kind, text: `${id}: ${what}` })
  if (completed.length > 0) find('refused and applied', `refused with ${status}, and took effect`)
  if (failed.length === 0 && (status === REQUEST_TIMEOUT || body.code === 'rate_limited')) return found
  if (failed.length === 0) find('refusal without entry', `refused with ${status}, has no entry`)
  else if (isBound({ status, body }) ? failed.length > 1 : failed.length > attempts.length)
    find('refusal with several entries', `refused with ${status}, has ${failed.length} entries`)
  else if (!isOfProvider && !failed.some((call) => call.id === body.log_id))
    find('other call', `answered ${body.log_id}, the ledger has another entry`)
  return found
}

/** The answer agrees with the events. */
function contentFaults(
  id: string,
  answered: NonNullable<Operation['final']>['body'],
  sent: unknown,
  call: Call,
): string[] {
  const faults: string[] = []
  if (answered.employees) {
    const created = call.events.flatMap((event) => (event.type === 'EmployeeCreated' ? [event] : []))
    const { employees } = (typeof sent === 'string' ? JSON.parse(sent) : sent) as { employees: { email: string }[] }
    // An erased event says nothing of its employee.
    const isExpected = created.every(({ stream, data }, at) => {
      const person = answered.employees![at]
      return stream === person?.id && (data === null || data.attributes.email === person.email)
    })
    if (!isExpected || created.length !== answered.employees.length)
      faults.push(`${id}: the created employees are not those that were answered`)
    const applied = employees.filter((_, at) => answered.results?.[at]?.result !== 'failed')
    if (answered.employees.some(({ email }, at) => email !== applied[at]?.email))
      faults.push(`${id}: created what was not sent`)
  }
  for (const { index, id: employeeId, result, changed } of answered.results ?? []) {
    const isRefused = call.events.some((event) => event.type === 'EmployeeRecordRejected' && event.index === index)
    if ((result === 'failed') !== isRefused)
      faults.push(`${id}: answered ${result}, and record ${index} is ${isRefused ? '' : 'not '}refused`)
    if (isRefused) continue
    const own = call.events.filter(({ stream }) => stream === employeeId)
    const names = own.flatMap((event) => {
      if (event.type === 'EmployeeCreated') return []
      return event.type === 'EmployeeUpdated' ? Object.keys(event.data?.changes ?? {}) : ['status']
    })
    const isErased = own.some(({ data }) => data === null)
    if (!isErased && names.toSorted().join() !== changed.toSorted().join())
      faults.push(`${id}: answered that ${changed.join()} changed, the events say ${names.join()}`)
    if ((result === 'no_updates') !== (own.length === 0))
      faults.push(`${id}: answered ${result} for ${own.length} events`)
    if ((result === 'created') !== own.some(({ type }) => type === 'EmployeeCreated'))
      faults.push(`${id}: answered ${result}, the events say something else`)
  }
  return faults
}

/** The contract's five counts, computed from the call's events. */
export function countFaults({ id, closing, events }: Call): string[] {
  const { data } = closing
  if (!data) return [`${id}: its closing event has no data`]
  const { counts, operation } = data
  const faults: string[] = []
  if (closing.type === 'ApiCallCompleted') {
    const byIndex = new Map<number, string[]>()
    for (const { index, type } of events) byIndex.set(index!, [...(byIndex.get(index!) ?? []), type])
    const created = [...byIndex.values()].filter((types) => types.includes('EmployeeCreated')).length
    const deactivated = [...byIndex.values()].filter((types) => types.some((type) => LEAVING.has(type))).length
    const failed = [...byIndex.values()].filter((types) => types.includes('EmployeeRecordRejected')).length
    const unchanged = closing.data?.unchanged.length ?? 0
    const total = byIndex.size + unchanged
    if (failed === total && failed > 0) faults.push(`${id}: it completed, and applied nothing`)
    const updated = byIndex.size - created - deactivated - failed
    const expected: CallCounts = { total, updated, deactivated, failed, no_updates: unchanged }
    const { creates } = rulesOf(operation)
    if (creates === 'all' ? created + failed !== total : creates === 'none' && created > 0)
      faults.push(`${id}: as a call that does “${operation}”, it created ${created} of ${total}`)
    if (!sameCounts(counts, expected))
      faults.push(`${id}: its counts are ${JSON.stringify(counts)}, its events say ${JSON.stringify(expected)}`)
  } else {
    const rejected = new Set(events.map(({ index }) => index)).size
    const isPart = rulesOf(operation).failing === 'refused' && rejected > 0
    const failed = isPart ? rejected : counts.total
    if (!sameCounts(counts, { total: counts.total, updated: 0, deactivated: 0, failed, no_updates: 0 })) {
      faults.push(`${id}: the counts of a failed call are ${JSON.stringify(counts)}`)
    }
  }
  return faults
}

const FLAGS: Readonly<Record<string, number>> = {
  EmployeeCreated: 1,
  EmployeeUpdated: 2,
  EmployeeDeactivated: 4,
  EmployeeReactivated: 8,
  EmployeeRecordRejected: 16,
  EmployeeDeprovisioned: 32,
} satisfies Record<RecordEventType, number>

/** What an entry has to hold of a call: where its first event is, and a byte in hexadecimal for each of its records. */
export function recordsExpected({ closing, events }: Call): { first: number; outcomes: string | null } {
  const first = events[0]?.position ?? closing.position
  if (closing.type === 'ApiCallFailed' && events.length === 0) return { first, outcomes: null }
  const bytes = Array.from({ length: closing.data?.counts.total ?? 0 }, () => 0)
  for (const { index, type } of events) bytes[index!] = bytes[index!]! + FLAGS[type]!
  return { first, outcomes: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('') }
}

function sameCounts(a: CallCounts, b: CallCounts): boolean {
  return (Object.keys(b) as (keyof CallCounts)[]).every((name) => a[name] === b[name])
}
