import { channel } from 'node:diagnostics_channel'
import type { ClientBase } from 'pg'
import { decideCall, type DecidedCall } from '../../domain/calls/decide-call.ts'
import type { CallAnswer } from '../../domain/calls/call-protocol.ts'
import { isSmall, type WriteCall } from '../../domain/calls/write-call.ts'
import type { NewEvent } from '../../domain/events.ts'
import { actorOf } from '../../domain/calls/callers.ts'
import type { EmployeeCache } from './employee-cache.ts'
import { breaksConnection, meansNotCommitted } from '../../postgres/database-errors.ts'
import { insertTraces, type EventTrace } from './event-traces.ts'
import { doInTurns, isTurnOver, nextTurn } from '../../admission/turns.ts'
import { mapInPieces } from '../../domain/pieces.ts'
import { boundName, earlierCall, insertBoundKeys, keepAnswer, type NewBoundKey } from './idempotency-keys.ts'
import { loadCompanies, loadMore, loadRows } from './load-companies.ts'
import type { QueryClient, WhenLocked } from '../../postgres/query-client.ts'
import { BEGIN, COMMIT, pipeline, pipelineInTurns, type Pipe } from '../../postgres/pipeline.ts'
import { placeEvents, type LockedCompany, type QueryMore } from './company-state.ts'
import { digestRecord } from '../../domain/calls/record-digest.ts'
import { writeDigests, type NewDigest } from './record-digests.ts'
import { insertCorrections, listCorrections, type NewCorrection } from '../corrections/insert-corrections.ts'
import { insertBodies, type NewRejectedBody } from './rejected-bodies.ts'
import type { StoredCall } from './recent-events.ts'
import type { Origin, SealedEvent } from '../integrity/codec.ts'
import { isDue, writeClients, type ActorClient, type ClientRegister } from './actor-clients.ts'
import type { UnchangedOnce } from './unchanged-once.ts'
import { UnknownOutcomeError } from './settle-outcome.ts'
import * as statements from './statements.ts'

const STAGES = {
  decided: channel('employee-ledger.append.decided'),
  sent: channel('employee-ledger.append.sent'),
  committed: channel('employee-ledger.append.committed'),
}

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

interface CommitTogetherOptions {
  whenLocked: WhenLocked
  cache: EmployeeCache
  /** Creations that are decided as if all their employees were new. */
  unchecked: ReadonlySet<WriteCall>
  onStored?: ((calls: StoredCall[]) => void) | undefined
  clients: ClientRegister
  /** The records that have changed nothing once. */
  unchangedOnce: UnchangedOnce
}

/**
 * Decides and appends calls of any number of companies in one transaction. Each call sees the changes of those before
 * it. With `skip locked`, a company whose head another transaction holds is left out, and its calls get `held`. Calls
 * `onStored` with what was appended, once it is known to be committed. Throws if nothing was committed, and
 * UnknownOutcomeError if that cannot be known.
 */
export async function commitTogether(
  client: ClientBase,
  calls: WriteCall[],
  { whenLocked, cache, unchecked, onStored, ...deciding }: CommitTogetherOptions,
): Promise<(Committed | 'held')[]> {
  const companyIds = [...new Set(calls.map(({ companyId }) => companyId))]
  const [, heads, rows, now] = await pipeline(client, (pipe) =>
    Promise.all([
      pipe.query(BEGIN),
      statements.lockHeads(pipe, companyIds, whenLocked),
      loadRows(pipe, calls, { cache, unchecked, whenLocked }),
      // After the rows that may have to be waited for, because the time is that of the decision.
      statements.readClock(pipe),
    ]),
  )
  try {
    if (heads.length === 0) {
      await client.query('rollback')
      return calls.map(() => 'held')
    }
    const query: QueryMore = (send) => pipeline(client, send)
    const locked = new Set(heads.map(({ companyId }) => companyId))
    const lockedCalls = calls.filter(({ companyId }) => locked.has(companyId))
    const companies = await loadCompanies(query, heads, lockedCalls, rows, { cache, whenLocked, now })
    const writes = new Writes()
    const results: (Committed | 'held')[] = []
    for (const call of calls) {
      const company = companies.get(call.companyId)
      results.push(company ? await decideOne(query, company, writes, call, { ...deciding, unchecked }) : 'held')
    }
    STAGES.decided.publish(calls)
    const stored = await write(client, companies, writes, results)
    onStored?.(stored)
    for (const [sentBy, usedAt] of writes.clients) sentBy.writtenAt = usedAt
    for (const before of heads) {
      const company = companies.get(before.companyId)
      if (company) cache.keep(before.companyId, { before, after: company.head }, company.employees.all())
    }
    return results
  } catch (error) {
    // On a connection that does not answer, it would wait as long again.
    const canRollBack = !(error instanceof UnknownOutcomeError) && !breaksConnection(error)
    if (canRollBack) await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** What the calls of a transaction add, apart from the rows of the employee directory. */
class Writes {
  readonly decided: DecidedEvents[] = []
  readonly bound: NewBoundKey[] = []
  readonly traces: EventTrace[] = []
  readonly bodies: NewRejectedBody[] = []
  readonly corrections: NewCorrection[] = []
  /** The clients whose rows are written, and when they were used. */
  readonly clients = new Map<ActorClient, string>()
  readonly digests: NewDigest[] = []
  /** Those of new employees, by id, which are inserted with their rows. */
  readonly newDigests = new Map<string, NewDigest>()
}

/** The events of a call, which get their positions and hashes when they are written. */
interface DecidedEvents extends Pick<DecidedCall, 'events' | 'employees'> {
  company: LockedCompany
  by: Pick<Origin, 'callId' | 'actor' | 'clientId'>
}

/** Decides a call on the state that the previous call left, and applies its changes to that state. */
async function decideOne(
  query: QueryMore,
  company: LockedCompany,
  writes: Writes,
  call: WriteCall,
  { unchecked, clients, unchangedOnce }: Pick<CommitTogetherOptions, 'unchecked' | 'clients' | 'unchangedOnce'>,
): Promise<Committed> {
  const { companyId, callId, idempotency, traceparent } = call
  const actor = actorOf(call)
  const lockedKey = company.keys.get(actor)
  let decision = await decide(company, call)
  if (unchecked.has(call) && refusesRecords(decision)) {
    // The answer must also name the values that other employees have.
    await loadMore(query, companyId, call.command.touches.claimed, company.employees)
    decision = await decide(company, call)
  }
  for (const employee of decision.employees) company.employees.change(employee)
  if (lockedKey && decision.usage) lockedKey.usage = decision.usage
  const { preview } = decision
  if (decision.events.length === 0) return { answer: decision.answer, position: null, ...(preview ? { preview } : {}) }
  const { events, employees, rejectedBody: body } = decision
  company.position += events.length
  const { position, head } = company
  const { sentFrom: address, userAgent } = call
  const sentBy = clients.find({ companyId, actorId: actor }, { address, userAgent }, head.recordedAt)
  if (sentBy && isDue(sentBy, head.recordedAt)) writes.clients.set(sentBy, head.recordedAt)
  const by = { callId, actor, clientId: sentBy?.clientId ?? null }
  writes.decided.push({ company, events, employees, by })
  if (traceparent) writes.traces.push({ companyId, position, traceparent, recordedAt: head.recordedAt })
  if (body) writes.bodies.push({ companyId, position, recordedAt: head.recordedAt, body })
  if ('upload' in call.caller)
    for (const correction of listCorrections(call, events, position)) writes.corrections.push(correction)
  const isLargeCall = !isSmall(call)
  const digest = ({ employee, patch }: (typeof decision.unchanged)[number]) => {
    const isNew = isLargeCall && company.employees.isNew(employee.id)
    if (!company.employees.awaitingDigest.delete(employee.id) && !isNew) return
    const made = { companyId, employee, digest: digestRecord(employee, patch) }
    if (isNew) writes.newDigests.set(employee.id, made)
    else if (unchangedOnce.isAgain(made.digest)) writes.digests.push(made)
  }
  await doInTurns(mapInPieces(decision.unchanged, digest))
  if (idempotency && decision.binds) {
    const key = { companyId, actor, keyHash: idempotency.keyHash }
    const { mayNameAnyone, ...answer } = decision.binds
    const bound = { callId, position, kept: keepAnswer(idempotency.requestHash, answer) }
    // A retry in the same transaction must find it too.
    company.bound.set(boundName(key), bound)
    writes.bound.push({ ...key, bound, mayNameAnyone, answeredAt: head.recordedAt })
  }
  return { answer: decision.answer, position }
}

function refusesRecords({ events }: DecidedCall): boolean {
  return events.some(({ type }) => type === 'EmployeeRecordRejected')
}

async function decide(company: LockedCompany, call: WriteCall): Promise<DecidedCall> {
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

/** Writes what was decided, and commits. Returns what was stored. */
async function write(
  client: ClientBase,
  companies: Map<string, LockedCompany>,
  writes: Writes,
  results: unknown[],
): Promise<StoredCall[]> {
  // After a failed statement, the server skips the rest, including COMMIT, and all of these reject with its error.
  const { written, stored, commit } = await pipelineInTurns(client, async (pipe) => {
    const directory = sendDirectory(pipe, companies, writes)
    const { sent, stored } = await sendEvents(pipe, writes)
    const others = sendHeadsAndKeys(pipe, companies, writes)
    // Stored answers take megabytes, which are copied once more when they are sent.
    if (isLarge(writes) && isTurnOver()) await nextTurn()
    return { written: [...directory, ...sent, ...others], stored, commit: pipe.query(COMMIT) }
  })
  const placed = stored.flatMap(({ events }) => events)
  STAGES.sent.publish(placed)
  const outcomes = await Promise.allSettled([...written, commit])
  STAGES.committed.publish(placed)
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected')?.reason
  if (refusal !== undefined) {
    const isBeforeCommit = outcomes.at(-2)?.status === 'rejected'
    throw meansNotCommitted(refusal, isBeforeCommit) ? refusal : new UnknownOutcomeError(results, placed[0], refusal)
  }
  // COMMIT of an aborted transaction does not fail; it only answers with another tag.
  if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  return stored
}

/**
 * The directory comes first, so that a refusal costs no insert of events. Its updates come before its inserts: a new
 * employee may take a value that another gives up.
 */
function sendDirectory(pipe: QueryClient, companies: Map<string, LockedCompany>, writes: Writes): Promise<unknown>[] {
  const all = [...companies].map(([companyId, { employees }]) => ({ companyId, ...employees.changes() }))
  const moved = all.flatMap(({ companyId, moved }) => moved.map((employee) => ({ companyId, employee })))
  const inserted = all.flatMap(({ companyId, inserted }) =>
    inserted.map((employee) => ({ companyId, employee, digest: writes.newDigests.get(employee.id) })),
  )
  return [
    ...(moved.length > 0 ? [statements.updateDirectory(pipe, moved)] : []),
    ...(inserted.length > 0 ? [statements.insertIntoDirectory(pipe, inserted)] : []),
    ...(writes.digests.length > 0 ? [writeDigests(pipe, writes.digests)] : []),
  ]
}

/** Whether much is written. */
function isLarge({ decided }: Writes): boolean {
  return decided.some(({ events }) => events.length > EVENTS_PER_TURN)
}

/** How many events are written at once, and about how many characters of them. */
const EVENTS_PER_WRITE = 256
const CHARACTERS_PER_WRITE = 1_048_576
/** How many events are sealed before others get a turn. */
const EVENTS_PER_TURN = 32

/** Seals and sends the events. If they are many, the server stores some while the next ones are sealed. */
async function sendEvents(pipe: Pipe, { decided }: Writes) {
  const sent: Promise<unknown>[] = []
  let unsent: SealedEvent[] = []
  let characters = 0
  const send = () => {
    sent.push(statements.insertEvents(pipe, unsent))
    unsent = []
    characters = 0
  }
  // The directory.
  if (decided.reduce((sum, { events }) => sum + events.length, 0) > EVENTS_PER_WRITE) pipe.flush()
  const stored: StoredCall[] = []
  for (const { company, events, employees, by } of decided) {
    const { companyId, frontier: before, generation } = company.head
    const sealed: SealedEvent[] = []
    for (let at = 0; at < events.length; at += EVENTS_PER_TURN) {
      if (at > 0 && isTurnOver()) await nextTurn()
      const { placed, head } = placeEvents(company.head, events.slice(at, at + EVENTS_PER_TURN), by)
      company.head = head
      for (const event of placed) {
        sealed.push(event)
        unsent.push(event)
        characters += event.data.length
      }
      if (unsent.length < EVENTS_PER_WRITE && characters < CHARACTERS_PER_WRITE) continue
      send()
      pipe.flush()
    }
    stored.push({ companyId, before, after: company.head.frontier, events: sealed, employees, generation })
  }
  if (unsent.length > 0) send()
  return { sent, stored }
}

function sendHeadsAndKeys(pipe: QueryClient, companies: Map<string, LockedCompany>, writes: Writes) {
  const { decided, bound, traces, bodies, corrections, clients } = writes
  const used = [...companies].flatMap(([companyId, { keys }]) =>
    [...keys].map(([apiId, { usage }]) => ({ companyId, apiId, usage })),
  )
  const heads = [...new Set(decided.map(({ company }) => company))].map(({ head, position }) => {
    if (head.frontier.size !== position)
      throw new Error(`${head.companyId} is at ${head.frontier.size}, not ${position}`)
    return head
  })
  return [
    ...(heads.length > 0 ? [statements.updateHeads(pipe, heads)] : []),
    ...(used.length > 0 ? [statements.updateUsage(pipe, used)] : []),
    ...(bound.length > 0 ? [insertBoundKeys(pipe, bound)] : []),
    ...(traces.length > 0 ? [insertTraces(pipe, traces)] : []),
    ...(bodies.length > 0 ? [insertBodies(pipe, bodies)] : []),
    ...(corrections.length > 0 ? [insertCorrections(pipe, corrections)] : []),
    ...(clients.size > 0 ? [writeClients(pipe, clients)] : []),
  ]
}
