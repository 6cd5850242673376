import type { RecordedEvent } from '../../../src/domain/events.ts'
import { KEY_LIMITS } from './draw-call.ts'
import type { Asked } from './make-calls.ts'
import { CompanyModel, type Decided, type Name, type Outcome, type Value } from './model.ts'

type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

/** What a company's ledger and answers say otherwise than the model, which makes the calls in the ledger's order. */
export function compareWithModel(
  events: readonly RecordedEvent[],
  asked: readonly Asked[],
  keyIds: readonly string[],
): { differences: string[]; model: CompanyModel; seen: Map<string, number> } {
  const model = new CompanyModel(KEY_LIMITS)
  const differences: string[] = []
  const seen = new Map<string, number>()
  const byRequest = new Map(asked.map((one) => [one.requestId, one]))
  const decidedOf = new Map<string, Decided>()
  const closedAt = new Map<string, number>()
  let lastErasure = 0
  const called = new Set<string>()
  let own: RecordedEvent[] = []
  for (const event of events) {
    if (event.type === 'EmployeeErased') {
      model.erase(event.stream)
      lastErasure = event.position
    }
    if (event.type === 'ApiKeyExcessAllowed' && event.data) {
      const { max_deactivations: deactivations, max_changes: changes, until } = event.data
      const numbers = { max_deactivations: deactivations ?? 0, max_changes: changes ?? 0 }
      model.allow(keyIds.indexOf(event.stream), numbers, until)
    }
    if (event.call_id === null) continue
    if (event.type !== 'ApiCallCompleted' && event.type !== 'ApiCallFailed') {
      own.push(event)
      continue
    }
    const one = event.data && byRequest.get(event.data.request_id)
    if (one?.step.kind === 'call') {
      const newIds = new Map(
        own.flatMap(({ type, index, stream }) => (type === 'EmployeeCreated' ? [[index!, stream]] : [])),
      )
      const decided = model.call(one.step.call, event.call_id, newIds, event.recorded_at)
      decidedOf.set(event.call_id, decided)
      closedAt.set(event.call_id, event.position)
      called.add(one.requestId)
      const name = `${one.step.call.kind} ${decided.refusal?.code ?? (one.step.call.isPartial ? 'partly' : 'completed')}`
      seen.set(name, (seen.get(name) ?? 0) + 1)
      const [expected, found] = [describeDecided(decided, findErased(own)), describeEvents(own, event)]
      if (expected !== found) differences.push(tell(event.position, one, expected, found))
    }
    own = []
  }
  for (const one of asked) {
    const { answer, step } = one
    if (!answer || step.kind !== 'call') continue
    const decided = decidedOf.get(answer.body.log_id ?? '')
    // An erasure deletes stored answers that may name the person, so a retry gets none.
    const mayBeErased = one.tries > 1 && lastErasure > closedAt.get(answer.body.log_id ?? '')!
    if (mayBeErased && answer.body.code === 'idempotency_response_expired') continue
    if (decided) {
      const [expected, found] = [describeAnswer(decided, one), describeAnswered(one)]
      if (expected !== found) differences.push(tell(null, one, expected, found))
    } else if (
      step.call.kind !== 'undo' ||
      answer.body.code !== 'nothing_to_undo' ||
      model.hasChanged(step.call.undone)
    )
      differences.push(tell(null, one, 'a call in the ledger', JSON.stringify(answer)))
  }
  return { differences, model, seen }
}

function tell(position: number | null, { step, requestId }: Asked, expected: string, found: string): string {
  return `${position ?? 'answer'} ${requestId} ${JSON.stringify(step)}\n  expected ${expected}\n  found    ${found}`
}

/** The records whose values were erased since. */
function findErased(own: readonly RecordedEvent[]): Set<number | null> {
  return new Set(own.flatMap(({ type, data, index }) => (data === null && type !== REJECTED ? index : [])))
}

const REJECTED = 'EmployeeRecordRejected'

/** A decision, and what events say of a call, in the same words. */
function describeDecided({ refusal, counts, outcomes }: Decided, erased: ReadonlySet<number | null>): string {
  if (refusal) return JSON.stringify([refusal.status, refusal.code, countsOf(counts)])
  const changes = outcomes.map(({ changes: some, result }, index) => {
    if (erased.has(index)) return 'erased'
    const isNew = result === 'created'
    const told = [...some].map(([name, { from, to }]) => (isNew ? `${name}: ${to}` : `${name}: ${from} > ${to}`))
    return told.toSorted().join(', ')
  })
  return JSON.stringify([countsOf(counts), changes])
}

function countsOf({ total, updated, deactivated, failed, no_updates: same }: Decided['counts']): number[] {
  return [total, updated, deactivated, failed, same]
}

function describeEvents(own: readonly RecordedEvent[], { type, data }: Closing): string {
  if (!data) return 'an event without data'
  if (type === 'ApiCallFailed') return JSON.stringify([data.http_status, data.code, countsOf(data.counts)])
  const changes: string[][] = Array.from({ length: data.counts.total }, () => [])
  const erased = findErased(own)
  for (const event of own) if (event.index !== null) changes[event.index]!.push(...describeEvent(event))
  for (const index of erased) if (index !== null) changes[index] = ['erased']
  return JSON.stringify([countsOf(data.counts), changes.map((some) => some.toSorted().join(', '))])
}

function describeEvent(event: RecordedEvent): string[] {
  if (event.type === 'EmployeeDeactivated') return ['status: active > inactive']
  if (event.type === 'EmployeeReactivated') return ['status: inactive > active']
  if (event.data === null) return []
  if (event.type === 'EmployeeUpdated')
    return Object.entries(event.data.changes).map(([name, { from, to }]) => `${name}: ${from} > ${to}`)
  if (event.type !== 'EmployeeCreated') return []
  const { custom_attributes: custom, first_name: _name, ...attributes } = event.data.attributes
  const grade = custom?.['grade'] === undefined ? [] : [`custom_attributes.grade: ${custom['grade']}`]
  return [...Object.entries(attributes).map(([name, value]) => `${name}: ${value}`), ...grade]
}

/** The answer that a decision has, and one that was given, in the same words. */
function describeAnswer({ refusal, outcomes }: Decided, { step }: Asked): string {
  if (step.kind !== 'call') return ''
  if (refusal) return JSON.stringify([refusal.status, refusal.code])
  if (step.call.kind === 'create' && !step.call.isPartial) return JSON.stringify([201, outcomes.length])
  return JSON.stringify([200, ...outcomes.map((one) => describeOutcome(one, one.result === 'created'))])
}

function describeOutcome({ id, result, changes, left }: Outcome, isNew: boolean): string {
  const changed = isNew ? [] : [...changes.keys()]
  return [result === 'failed' ? '' : id, result, changed.toSorted().join(), left.toSorted().join()].join(' ')
}

function describeAnswered({ answer }: Asked): string {
  const { status, body } = answer!
  if (status >= 300) return JSON.stringify([status, body.code])
  if (status === 201) return JSON.stringify([status, body.employees!.length])
  const results = body.results!.map(({ id, result, changed, left = [] }) => {
    const isNew = result === 'created'
    const stays = left.map(({ attribute }) => attribute).toSorted()
    return [result === 'failed' ? '' : id, result, isNew ? '' : changed.toSorted().join(), stays.join()].join(' ')
  })
  return JSON.stringify([status, ...results])
}

/** The people as the model has them, and as the list of employees tells them. */
export function describePeople(model: CompanyModel): string[] {
  return [...model.people.values()].map(({ id, values }) => describePerson(id, values)).toSorted()
}

export type Listed = Record<Exclude<Name, 'custom_attributes.grade'>, Value> & {
  id: string
  custom_attributes: Record<string, Value>
}

export function describeListed(people: readonly Listed[]): string[] {
  return people
    .map(({ id, custom_attributes: custom, ...values }) =>
      describePerson(id, { ...values, 'custom_attributes.grade': custom['grade'] ?? null }),
    )
    .toSorted()
}

function describePerson(id: string, values: Record<Name, Value>): string {
  const { email, external_id: externalId, job_title: job, manager_id: manager, status } = values
  return [id, email, externalId, job, values['custom_attributes.grade'], manager, status].join(' ')
}
