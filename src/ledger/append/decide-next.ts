import { doInTurns } from '#admission/turns'
import type { CallAnswer } from '#domain/calls/call-decision'
import { actorOf } from '#domain/calls/callers'
import { decideCall, type DecidedCall } from '#domain/calls/decide-call'
import { digestRecord } from '#domain/calls/record-digest'
import { isSmall, type WriteCall } from '#domain/calls/commands'
import type { NewEvent } from '#domain/events'
import { mapInPieces } from '#domain/pieces'
import { countActivePeople } from '../read/read-employees.ts'
import type { QueryMore, LockedCompany } from './company-state.ts'
import type { ActorClient, ClientRegister } from './actor-clients.ts'
import { boundName, earlierCall, keepAnswer, type NewBoundKey } from './idempotency-keys.ts'
import { loadHolders } from './needed-employees.ts'
import type { NewDigest } from './record-digests.ts'
import type { UnchangedOnce } from './unchanged-once.ts'

/** Deciding a call threw: a bug that this call triggers. */
export class DecisionError extends Error {
  override name = 'DecisionError'
}

/** A call after its transaction has committed. */
export interface Committed {
  /** Null when the call's secret is no longer valid. */
  answer: CallAnswer | null
  /** The position of the call's last event; null when it appended none. */
  position: number | null
  /** Of a call that only validates, the events that it would append. */
  preview?: NewEvent[]
}

/** What a call adds to the ledger, and to the rows beside it. */
export interface AddedCall extends Pick<DecidedCall, 'events' | 'employees' | 'rejectedBody' | 'validRecords'> {
  company: LockedCompany
  call: WriteCall
  /** The position of its last event. */
  position: number
  /** Null if its address is not known, or if the company has too many clients. */
  client: ActorClient | null
  /** The idempotency key that it binds. */
  bound: NewBoundKey | null
  /** Digests of records that change nothing. */
  digests: readonly NewDigest[]
}

export interface DecideOptions {
  /** Creations that are decided as if all their employees were new. */
  unchecked: ReadonlySet<WriteCall>
  clients: ClientRegister
  /** The records that have changed nothing once. */
  unchangedOnce: UnchangedOnce
}

/**
 * Decides a call on the state that the previous call left, and applies its changes to that state. `added` is null if it
 * appends no events.
 */
export async function decideNext(
  query: QueryMore,
  company: LockedCompany,
  call: WriteCall,
  { unchecked, clients, unchangedOnce }: DecideOptions,
): Promise<{ committed: Committed; added: AddedCall | null }> {
  const decision = await decide(query, company, call, unchecked)
  const { answer, preview, events, employees, usage, rejectedBody, validRecords } = decision
  const actor = actorOf(call)
  for (const employee of employees) company.employees.change(employee)
  const key = company.keys.get(actor)
  if (key && usage) key.usage = usage
  if (events.length === 0) return { committed: { answer, position: null, ...(preview && { preview }) }, added: null }

  company.position += events.length
  for (const event of events) company.activeSince += countActivated(event)
  const { position } = company
  const { companyId, sentFrom: address, userAgent } = call
  const client = clients.find({ companyId, actorId: actor }, { address, userAgent }, company.head.recordedAt)
  const digests = await digestUnchanged(company, call, decision, unchangedOnce)
  const bound = bindKey(company, call, decision)
  const added = {
    company,
    call,
    events,
    employees,
    position,
    client,
    bound,
    digests,
    ...(rejectedBody && { rejectedBody }),
    ...(validRecords && { validRecords }),
  }
  return { committed: { answer, position }, added }
}

/**
 * Decides a call. If an unchecked creation is refused, loads the employees who have its values, and if the active people
 * must be counted first, counts them; then decides it again.
 */
async function decide(query: QueryMore, company: LockedCompany, call: WriteCall, unchecked: ReadonlySet<WriteCall>) {
  let decision = await decideOnce(company, call)
  const isRefusing = decision.events.some(({ type }) => type === 'EmployeeRecordRejected')
  if (isRefusing && unchecked.has(call)) {
    const holders = { companyId: call.companyId, naming: call.command.touches.claimed }
    await loadHolders(query, holders, company.employees)
    decision = await decideOnce(company, call)
  }
  if (!decision.needsActive) return decision
  company.active ??= await query((pipe) => countActivePeople(pipe, call.companyId))
  return decideOnce(company, call, company.active + company.activeSince)
}

/** `active` is how many people are active, if that is needed. */
async function decideOnce(company: LockedCompany, call: WriteCall, active: number | null = null) {
  const { callId, idempotency, arrivedAt } = call
  const actor = actorOf(call)
  const key = company.keys.get(actor)
  const bound = idempotency && company.bound.get(boundName({ actor, ...idempotency }))
  try {
    return await doInTurns(
      decideCall(call, {
        employees: company.employees,
        key: key?.key,
        usage: key?.usage,
        role: company.roles.get(actor),
        active,
        earlier: bound ? earlierCall(bound, idempotency.requestHash) : undefined,
        now: company.head.recordedAt,
        country: company.country,
        durationMs: Math.round(performance.now() - arrivedAt),
      }),
    )
  } catch (error) {
    throw new DecisionError(`call ${callId} could not be decided`, { cause: error })
  }
}

/** By how many the active people become more because of an event. */
function countActivated({ type, data }: NewEvent): number {
  if (type === 'EmployeeCreated') return data.attributes.status === 'active' ? 1 : 0
  return type === 'EmployeeReactivated' ? 1 : type === 'EmployeeDeactivated' ? -1 : 0
}

/** Makes the digests that the directory lacks, of the records of a call that change nothing. */
async function digestUnchanged(
  { employees }: LockedCompany,
  call: WriteCall,
  { unchanged }: DecidedCall,
  unchangedOnce: UnchangedOnce,
) {
  const digests: NewDigest[] = []
  const isLarge = !isSmall(call)
  const digest = ({ employee, patch }: DecidedCall['unchanged'][number]) => {
    const isNew = isLarge && employees.isNew(employee.id)
    const isAwaited = employees.awaitingDigest.delete(employee.id)
    if (!isNew && !isAwaited) return
    const made = { companyId: call.companyId, employee, digest: digestRecord(employee, patch) }
    // That of a new employee is inserted with its row, at no cost.
    if (isNew || unchangedOnce.isAgain(made.digest)) digests.push(made)
  }
  await doInTurns(mapInPieces(unchanged, digest))
  return digests
}

/** Binds the idempotency key of a call to its answer, for retries in this transaction, too. */
function bindKey(company: LockedCompany, call: WriteCall, { binds }: Pick<DecidedCall, 'binds'>): NewBoundKey | null {
  const { companyId, callId, idempotency } = call
  if (!idempotency || !binds) return null
  const key = { companyId, actor: actorOf(call), keyHash: idempotency.keyHash }
  const { mayNameAnyone, ...answer } = binds
  const bound = { callId, position: company.position, kept: keepAnswer(idempotency.requestHash, answer) }
  company.bound.set(boundName(key), bound)
  return { ...key, bound, mayNameAnyone, answeredAt: company.head.recordedAt }
}
