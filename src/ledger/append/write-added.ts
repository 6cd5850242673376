import { channel } from 'node:diagnostics_channel'
import type { ClientBase } from 'pg'
import { isTurnOver, nextTurn } from '#admission/turns'
import { actorOf } from '#domain/calls/callers'
import { meansNotCommitted } from '#postgres/database-errors'
import { COMMIT, pipelineInTurns, type Pipe } from '#postgres/pipeline'
import type { QueryClient } from '#postgres/pool'
import { findUndoing, insertUndoings } from '../undo/undoings.ts'
import { insertCorrections, listCorrections } from '../corrections/corrections.ts'
import type { SealedEvent } from '../integrity/codec.ts'
import { isDue, writeClients, type UsedClient, insertTraces } from './actor-clients.ts'
import { placeEvents, type LockedCompany } from './company-state.ts'
import type { AddedCall } from './decide-next.ts'
import { insertBoundKeys } from './idempotency-keys.ts'
import type { StoredCall } from './recent-events.ts'
import { writeDigests } from './record-digests.ts'
import { insertFailedCalls, insertBodies } from './failed-calls.ts'
import { UnknownOutcomeError } from './settle-outcome.ts'
import * as statements from './statements.ts'

const STAGES = {
  sent: channel('employee-ledger.append.sent'),
  committed: channel('employee-ledger.append.committed'),
}

/**
 * Writes what calls add, and commits. Returns what was stored. Throws if nothing was committed, and UnknownOutcomeError if
 * that cannot be known.
 */
export async function writeAdded(
  client: ClientBase,
  companies: Map<string, LockedCompany>,
  added: readonly AddedCall[],
  results: unknown[],
): Promise<StoredCall[]> {
  const clients = findDueClients(added)
  // After a failed statement, the server skips the rest, including COMMIT, and all of these reject with its error.
  const { written, stored, commit } = await pipelineInTurns(client, async (pipe) => {
    const directory = sendDirectory(pipe, companies, added)
    const { sent, stored } = await sendEvents(pipe, added)
    const others = [...sendHeads(pipe, companies, added), ...sendRowsBeside(pipe, added, clients)]
    // Stored answers take megabytes, which are copied once more when they are sent.
    if (isLarge(added) && isTurnOver()) await nextTurn()
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
  for (const [client, usedAt] of clients) client.writtenAt = usedAt
  return stored
}

/**
 * The directory comes first, so that a refusal costs no insert of events. Its updates come before its inserts: a new
 * employee may take a value that another gives up.
 */
function sendDirectory(pipe: QueryClient, companies: Map<string, LockedCompany>, added: readonly AddedCall[]) {
  const digests = added.flatMap(({ digests }) => digests)
  const digestOf = new Map(digests.map((digest) => [digest.employee.id, digest]))
  const digestsOfOthers = digests.filter(
    ({ companyId, employee }) => !companies.get(companyId)!.employees.isNew(employee.id),
  )
  const all = [...companies].map(([companyId, { employees }]) => ({ companyId, ...employees.changes() }))
  const moved = all.flatMap(({ companyId, moved }) => moved.map((employee) => ({ companyId, employee })))
  const inserted = all.flatMap(({ companyId, inserted }) =>
    inserted.map((employee) => ({ companyId, employee, digest: digestOf.get(employee.id) })),
  )
  return [
    ...sendAny(pipe, moved, statements.updateDirectory),
    ...sendAny(pipe, inserted, statements.insertIntoDirectory),
    ...sendAny(pipe, digestsOfOthers, writeDigests),
  ]
}

/** Whether much is written. */
function isLarge(added: readonly AddedCall[]) {
  return added.some(({ events }) => events.length > EVENTS_PER_TURN)
}

/** How many events are written at once, and about how many characters of them. */
const EVENTS_PER_WRITE = 256
const CHARACTERS_PER_WRITE = 1_048_576
/** How many events are sealed before others get a turn. Each may be a record of 120 kB. */
const EVENTS_PER_TURN = 8

/**
 * Seals and sends the events. If they are many, the server stores some while the next ones are sealed; their texts, which
 * may be far more than those of the call, are not kept.
 */
async function sendEvents(pipe: Pipe, added: readonly AddedCall[]) {
  const sent: Promise<unknown>[] = []
  let unsent: SealedEvent[] = []
  let unsentCharacters = 0
  const send = () => {
    sent.push(statements.insertEvents(pipe, unsent))
    for (const event of unsent) event.data = ''
    unsent = []
    unsentCharacters = 0
  }
  // The directory.
  if (added.reduce((sum, { events }) => sum + events.length, 0) > EVENTS_PER_WRITE) pipe.flush()
  const stored: StoredCall[] = []
  for (const { company, call, events, employees, client } of added) {
    const { companyId, frontier: before, generation } = company.head
    const by = { callId: call.callId, actor: actorOf(call), clientId: client?.clientId ?? null }
    const sealed: SealedEvent[] = []
    let characters = 0
    for (let at = 0; at < events.length; at += EVENTS_PER_TURN) {
      if (at > 0 && isTurnOver()) await nextTurn()
      const { placed, head } = placeEvents(company.head, events.slice(at, at + EVENTS_PER_TURN), by)
      company.head = head
      for (const event of placed) {
        sealed.push(event)
        unsent.push(event)
        characters += event.data.length
        unsentCharacters += event.data.length
      }
      if (unsent.length < EVENTS_PER_WRITE && unsentCharacters < CHARACTERS_PER_WRITE) continue
      await pipe.taken()
      send()
      pipe.flush()
    }
    stored.push({ companyId, before, after: company.head.frontier, events: sealed, characters, employees, generation })
  }
  if (unsent.length > 0) send()
  return { sent, stored }
}

/** Sends a statement if it has any rows. */
function sendAny<Row>(pipe: QueryClient, rows: Row[], send: (pipe: QueryClient, rows: Row[]) => Promise<unknown>) {
  return rows.length > 0 ? [send(pipe, rows)] : []
}

/** The heads of companies, and the usage of their keys. */
function sendHeads(pipe: QueryClient, companies: Map<string, LockedCompany>, added: readonly AddedCall[]) {
  const heads = [...new Set(added.map(({ company }) => company))].map(({ head, position }) => {
    if (head.frontier.size !== position)
      throw new Error(`${head.companyId} is at ${head.frontier.size}, not ${position}`)
    return head
  })
  const used = [...companies].flatMap(([companyId, { keys }]) =>
    [...keys].map(([apiId, { usage }]) => ({ companyId, apiId, usage })),
  )
  return [...sendAny(pipe, heads, statements.updateHeads), ...sendAny(pipe, used, statements.updateUsage)]
}

/** The rows beside the ledger that tell more about calls. */
function sendRowsBeside(pipe: QueryClient, added: readonly AddedCall[], clients: UsedClient[]) {
  const placeOf = ({ company: { head }, position }: AddedCall) => {
    const { companyId, recordedAt } = head
    return { companyId, position, recordedAt }
  }
  const bound = added.flatMap(({ bound }) => bound ?? [])
  const traces = added.flatMap((one) => {
    const { traceparent } = one.call
    return traceparent ? [{ ...placeOf(one), traceparent }] : []
  })
  const bodies = added.flatMap((one) => (one.rejectedBody ? [{ ...placeOf(one), body: one.rejectedBody }] : []))
  const validParts = added.flatMap((one) =>
    (one.validRecords ?? []).map((records, part) => ({ ...placeOf(one), part, records })),
  )
  const corrections = added.flatMap(({ call, events, position }) =>
    'upload' in call.caller ? listCorrections(call, events, position) : [],
  )
  const undoings = added.flatMap(({ call, events, position }) => findUndoing(call, events, position) ?? [])
  return [
    ...sendAny(pipe, bound, insertBoundKeys),
    ...sendAny(pipe, traces, insertTraces),
    ...sendAny(pipe, bodies, insertBodies),
    ...sendAny(pipe, validParts, insertFailedCalls),
    ...sendAny(pipe, corrections, insertCorrections),
    ...sendAny(pipe, undoings, insertUndoings),
    ...sendAny(pipe, clients, writeClients),
  ]
}

/** The clients whose rows are due, each once. */
function findDueClients(added: readonly AddedCall[]): UsedClient[] {
  const due = added.flatMap(({ client, company: { head } }): UsedClient[] =>
    client && isDue(client, head.recordedAt) ? [[client, head.recordedAt]] : [],
  )
  return [...new Map(due)]
}
