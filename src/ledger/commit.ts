import type { ClientBase } from 'pg'
import type { ApiKey, KeyUsage } from '../domain/company.ts'
import type { Employee } from '../domain/employee.ts'
import type { NewEvent } from '../domain/events.ts'
import type { Head, LockedCompany, Touches } from './company-state.ts'
import { LoadedEmployees } from './company-state.ts'
import { meansNotCommitted } from './database-errors.ts'
import { headAt, placeEvents } from './place-events.ts'
import type { PlacedEvent } from './statements.ts'
import * as statements from './statements.ts'

/** What a call can see when it is decided, under the lock of its company's head. */
export interface DecisionState {
  employees: LoadedEmployees
  /** The key as it is now; undefined when there is none such. */
  key: ApiKey | undefined
  usage: KeyUsage | undefined
  /** The time that its events will have, RFC 3339 UTC. */
  now: string
}

/** What deciding a call gives. A call that appends nothing leaves no trace but its usage. */
export interface LedgerDecision<Answer> {
  events: NewEvent[]
  /** The final states of the employees that the events change. */
  employees: Employee[]
  /** The key's usage afterwards; null leaves it. */
  usage: KeyUsage | null
  answer: Answer
}

/** One call on its way into the ledger. */
export interface LedgerCall<Answer> {
  callId: string
  companyId: string
  apiId: string
  /** How many records it has. */
  weight: number
  touches: Touches
  decide(state: DecisionState): LedgerDecision<Answer>
}

export interface Committed<Answer> {
  answer: Answer
  /** The position of the call's last event; null when it appended none. */
  position: number | null
}

/** COMMIT was sent and no answer came: whether the transaction took effect is not known. */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError'
  /** What the calls are to be answered if it did. */
  readonly results: unknown[]

  constructor(results: unknown[], cause: unknown) {
    super('the connection was lost while the transaction committed', { cause })
    this.results = results
  }
}

/** Deciding a call threw: a fault of the program that this call brings out. */
export class DecisionError extends Error {
  override name = 'DecisionError'
}

/**
 * Decides and appends calls of any number of companies in one transaction, each call seeing what those before it did.
 * A company whose head another transaction holds is left out (its calls get `held`) unless `wait` is on.
 * Throws when nothing was committed, and UnknownOutcomeError when that cannot be told.
 */
export async function commitTogether<Answer>(
  client: ClientBase,
  calls: LedgerCall<Answer>[],
  wait: boolean,
): Promise<(Committed<Answer> | 'held')[]> {
  const companyIds = [...new Set(calls.map(({ companyId }) => companyId))]
  const [, heads] = await Promise.all([client.query('begin'), statements.lockHeads(client, companyIds, wait)])
  try {
    const locked = new Set(heads.map(({ companyId }) => companyId))
    const mine = calls.filter(({ companyId }) => locked.has(companyId))
    // Only a statement that starts after the lock is held sees what the holder before committed.
    const companies = await loadCompanies(client, heads, mine)
    const { results, placed } = decideAll(companies, calls)
    await write(client, companies, placed, results)
    return results
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function loadCompanies(
  client: ClientBase,
  heads: Head[],
  calls: LedgerCall<unknown>[],
): Promise<Map<string, LockedCompany>> {
  const apiIds = new Map(calls.map(({ companyId, apiId }) => [apiId, { companyId, apiId }]))
  const [now, keys, ...found] = await Promise.all([
    statements.readClock(client),
    statements.loadKeys(client, [...apiIds.values()]),
    ...(['employeeIds', 'emails', 'externalIds'] as const).map((by) => loadTouched(client, calls, by)),
  ])
  const employees = Map.groupBy(found.flat(), ({ companyId }) => companyId)
  const companies = heads.map((head): [string, LockedCompany] => {
    const loaded = new LoadedEmployees((employees.get(head.companyId) ?? []).map(({ employee }) => employee))
    return [head.companyId, { head: headAt(head, now), employees: loaded, keys: new Map() }]
  })
  const byId = new Map(companies)
  for (const { companyId, key, usage } of keys) byId.get(companyId)?.keys.set(key.id, { key, usage })
  return byId
}

async function loadTouched(client: ClientBase, calls: LedgerCall<unknown>[], by: keyof Touches) {
  const wanted = calls.flatMap(({ companyId, touches }) => touches[by].map((value) => ({ companyId, value })))
  return wanted.length === 0 ? [] : statements.loadEmployees(client, by, wanted)
}

function decideAll<Answer>(
  companies: Map<string, LockedCompany>,
  calls: LedgerCall<Answer>[],
): { results: (Committed<Answer> | 'held')[]; placed: PlacedEvent[] } {
  const placed: PlacedEvent[] = []
  const results = calls.map((call) => {
    const company = companies.get(call.companyId)
    return company ? decideOne(company, call, placed) : ('held' as const)
  })
  return { results, placed }
}

function decideOne<Answer>(company: LockedCompany, call: LedgerCall<Answer>, placed: PlacedEvent[]): Committed<Answer> {
  const known = company.keys.get(call.apiId)
  const decision = decide(call, {
    employees: company.employees,
    key: known?.key,
    usage: known?.usage,
    now: company.head.recordedAt,
  })
  for (const employee of decision.employees) company.employees.put(employee)
  if (known && decision.usage) known.usage = decision.usage
  if (decision.events.length === 0) return { answer: decision.answer, position: null }
  const next = placeEvents(company.head, decision.events, { callId: call.callId, actor: call.apiId })
  company.head = next.head
  for (const event of next.placed) placed.push(event)
  return { answer: decision.answer, position: next.head.frontier.size }
}

function decide<Answer>(call: LedgerCall<Answer>, state: DecisionState): LedgerDecision<Answer> {
  try {
    return call.decide(state)
  } catch (error) {
    throw new DecisionError(`call ${call.callId} could not be decided`, { cause: error })
  }
}

async function write(
  client: ClientBase,
  companies: Map<string, LockedCompany>,
  placed: PlacedEvent[],
  results: unknown[],
): Promise<void> {
  const all = [...companies].map(([companyId, company]) => ({ companyId, ...company, ...company.employees.changes() }))
  const updated = all.flatMap(({ companyId, updated }) => updated.map((employee) => ({ companyId, employee })))
  const inserted = all.flatMap(({ companyId, inserted }) => inserted.map((employee) => ({ companyId, employee })))
  const used = all.flatMap(({ companyId, keys }) => [...keys].map(([apiId, { usage }]) => ({ companyId, apiId, usage })))
  // Sent in one go. After a failed one the server refuses the rest and takes COMMIT for ROLLBACK.
  const writes = [
    ...(placed.length > 0 ? [statements.insertEvents(client, placed)] : []),
    ...(placed.length > 0 ? [statements.updateHeads(client, all.map(({ head }) => head))] : []),
    // Updates before inserts: a new employee may take a value that another gives up.
    ...(updated.length > 0 ? [statements.updateSnapshots(client, updated)] : []),
    ...(inserted.length > 0 ? [statements.insertSnapshots(client, inserted)] : []),
    ...(used.length > 0 ? [statements.updateUsage(client, used)] : []),
  ]
  const commit = client.query('commit')
  const outcomes = await Promise.allSettled([...writes, commit])
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected')?.reason
  if (refusal !== undefined) throw meansNotCommitted(refusal) ? refusal : new UnknownOutcomeError(results, refusal)
  // An aborted transaction answers COMMIT without an error, only with another tag.
  if ((await commit).command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
}
