import {
  type RefusedExcess,
  requestsInWindow,
  windowEnd,
  type KeyUsage,
  type RefreshPeriod,
  findMissedDeadline,
  type Expectation,
} from './accounts/api-key.ts'
import type { TurnedAwayReason } from './accounts/secrets.ts'
import { ATTENTION_KINDS, isAttentionKind, rankOf, type AttentionKind, type BackgroundWork } from './attention-kinds.ts'
import type { ProblemCode } from './errors.ts'
import type { EventData, NewEvent } from './events.ts'
import { DAY_MS, findStartOf, formatLocalDay, shiftDay } from './local-times.ts'
import type { WebhookDisabledReason } from './webhook-types.ts'

/*
 * What needs the attention of a company's administrators, decided from facts and the database's time. docs/attention.md
 * says of each kind what begins and what ends it.
 */

/** What an item of each kind says beside its subject. Times are RFC 3339 UTC. */
interface AttentionDetails {
  /** A key's calls have failed with this code since the start of yesterday. */
  calls_failed: { code: string; calls: number; records: number; is_more: boolean; last_log_id: string }
  /** A key's calls applied what they could since the start of yesterday, and refused `records` of their `total`. */
  records_refused: { records: number; total: number; calls: number; is_more: boolean; last_log_id: string }
  /** Calls with a secret that was a key's did not get in; `ended_at` is when it stopped working, if that is known. */
  calls_turned_away: {
    reason: TurnedAwayReason
    calls: number
    last_at: string
    address: string | null
    ended_at: string | null
  }
  /** A key expects calls, and none came. */
  call_missing: { expected_by: string; last_call_at: string | null }
  webhook_failing: { error: string | null }
  webhook_disabled: { reason: WebhookDisabledReason }
  /** A key has used 80 % or more of its quota. */
  quota_nearly_used: QuotaDetails
  /** The calls that were refused since the start of yesterday because of it. */
  quota_used: QuotaDetails & { calls: number; records: number; is_more: boolean }
  /** A call of a key would have done `wanted` beyond what it had `done` in that day, of `active` people. */
  key_limit_reached: Pick<RefusedExcess, 'limited' | 'wanted' | 'done' | 'limit' | 'active'> & { last_log_id: string }
  /** A key deactivated more people in a day than is usual, of `active`. */
  key_deactivated_many: { deactivations: number; active: number }
  /** A key and another key, or the users if it is null, set back each other's values, of `people` in a sample. */
  fields_overwritten: {
    other_key: { id: string; name: string } | null
    fields: string[]
    people: number
    employee_id: string
  }
  key_expiring: { expires_at: string }
  key_expired: { expires_at: string }
  /** A key was issued 30 days ago or more, works, and has never made a call. */
  key_unused: { created_at: string }
  provider_failing: { fault: string }
  /** A read model has stopped before an event that it can't fold. */
  projection_parked: { position: number }
  /** A witness has seen another ledger than this one, or what it has signed is not valid. */
  ledger_disputed: { fault: Exclude<WitnessFault, 'unavailable'>; error: string }
  /** The service signs no checkpoint: the ledger does not continue what was signed before, or that can't be told. */
  ledger_unsigned: { error: string }
  /** Other work in the background fails; its error is for the operator. */
  work_failing: { work: Exclude<BackgroundWork, 'signing'> }
}

/**
 * Why a witness did not cosign a checkpoint. `conflict`: it has seen another ledger. `forged`: its cosignature is not
 * valid. `unavailable`: all else.
 */
export type WitnessFault = 'unavailable' | 'conflict' | 'forged'

type QuotaDetails = { requests_made: number; quota_limit: number; resets_at: string }

/** Something that needs attention. */
export type AttentionItem<Of extends AttentionKind = AttentionKind> = {
  [Kind in Of]: {
    kind: Kind
    /** The key, webhook, provider, projection, witness, or work. */
    subject: { id: string; name: string }
    /** Since when, RFC 3339 UTC; null if that is not known. */
    since: string | null
    details: AttentionDetails[Kind]
  }
}[Of]

/** A key that may need attention. */
export interface KeyFacts {
  id: string
  name: string
  isEnabled: boolean
  createdAt: string
  expiresAt: string | null
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  usage: KeyUsage
  expectation: Expectation | null
  /** When the key's writing call came last, RFC 3339 UTC. */
  lastCallAt: string | null
}

/** What is found of a kind without anything to decide. */
export type Found<Kind extends AttentionKind> = Omit<AttentionItem<Kind>, 'kind'>

export interface AttentionFacts {
  /** The database's time, RFC 3339 UTC. */
  now: string
  /** The company's. */
  timeZone: string
  /** Keys that are not revoked. */
  keys: KeyFacts[]
  /** These, `partialCalls`, and `turnedAway`: since `startOfYesterday`. */
  failedCalls: Found<'calls_failed'>[]
  partialCalls: Found<'records_refused'>[]
  turnedAway: Found<'calls_turned_away'>[]
  overwritten: Found<'fields_overwritten'>[]
  webhooks: {
    id: string
    name: string
    disabledReason: WebhookDisabledReason | null
    disabledAt: string | null
    failingSince: string | null
    error: string | null
  }[]
  provider: { id: string; name: string; failingSince: string | null; fault: string | null } | null
  parkedProjections: Found<'projection_parked'>[]
  /** Witnesses that dispute the ledger; `id` is the name and the id of the key. */
  disputes: { id: string; since: string; fault: Exclude<WitnessFault, 'unavailable'>; error: string }[]
  /** Work in the background that fails. `subject` tells apart work of the same kind. */
  failingWork: { work: BackgroundWork; subject: string; since: string; error: string }[]
}

/** Calls that failed with one of these had records that only somebody who knows the people can correct. */
export const RECORD_CODES: readonly ProblemCode[] = [
  'validation_failed',
  'already_exists',
  'inactive_employee_exists',
  'employee_not_found',
  'former_name',
]

/** A key with this share of its quota used needs attention. */
export const NEARLY_USED = 0.8
/** How long before its end a key needs attention, and how long after. */
export const EXPIRES_SOON_MS = 14 * DAY_MS
export const EXPIRED_LONG_AGO_MS = 30 * DAY_MS
/** How long after it was issued a key that has made no call needs attention. */
export const UNUSED_MS = 30 * DAY_MS
/** A webhook or work that fails for a shorter time needs no attention: most failures pass. */
const FAILING_MS = 10 * 60_000

/** The start of yesterday in a time zone. Milliseconds since the epoch, in and out. */
export function startOfYesterday(nowMs: number, timeZone: string): number {
  return findStartOf(shiftDay(formatLocalDay(nowMs, timeZone), -1), timeZone)
}

/** Lists what needs attention, what costs most first. */
export function findAttention(facts: AttentionFacts): AttentionItem[] {
  const ofKeys = facts.keys.flatMap((key) => [...findOfPeople(key, facts), ...findOfKey(key, facts)])
  const usedUp = new Set(ofKeys.flatMap(({ kind, subject }) => (kind === 'quota_used' ? [subject.id] : [])))
  // A quota that is used up says of its calls what is to be done, and what is beyond the limits of a key is told by itself.
  const failedCalls = facts.failedCalls.filter(
    ({ subject, details }) => details.code !== 'limit_reached' && !(isOfQuota(details) && usedUp.has(subject.id)),
  )
  const items = [
    ...facts.disputes.map(({ id, since, fault, error }): AttentionItem => {
      const subject = { id, name: id.slice(0, id.lastIndexOf('+')) }
      return { kind: 'ledger_disputed', subject, since, details: { fault, error } }
    }),
    ...facts.parkedProjections.map((found): AttentionItem => ({ kind: 'projection_parked', ...found })),
    ...findOfWork(facts),
    ...findOfProvider(facts),
    ...findOfWebhooks(facts),
    ...ofKeys,
    ...facts.turnedAway.map((found): AttentionItem => ({ kind: 'calls_turned_away', ...found })),
    ...facts.overwritten.map((found): AttentionItem => ({ kind: 'fields_overwritten', ...found })),
    ...failedCalls.map((found): AttentionItem => ({ kind: 'calls_failed', ...found })),
    ...facts.partialCalls.map((found): AttentionItem => ({ kind: 'records_refused', ...found })),
  ]
  return groupByCost(items, nameOfItem).flat()
}

function isOfQuota({ code }: { code: string }) {
  return code === 'quota_exceeded'
}

/** Groups items into problems, what costs most first: all causes for which the calls of a key failed are one. */
export function groupProblems(items: readonly AttentionItem[]): AttentionItem[][] {
  return groupByCost(items, (item) => (item.kind === 'calls_failed' ? item.subject.id : nameOfItem(item)))
}

/** Groups items by name, and sorts the groups, and the items of each: those with the most records, calls, then the oldest. */
function groupByCost(items: readonly AttentionItem[], nameOf: (item: AttentionItem) => string) {
  const groups = [...Map.groupBy(items, nameOf).values()]
  return groups.map((group) => group.toSorted((a, b) => compareCosts([a], [b]))).toSorted(compareCosts)
}

function compareCosts(one: readonly AttentionItem[], other: readonly AttentionItem[]) {
  const [first, second] = [one[0]!, other[0]!]
  const rank = rankOf(first.kind)
  const byRank = rank - rankOf(second.kind)
  const byKind = ATTENTION_KINDS.indexOf(first.kind) - ATTENTION_KINDS.indexOf(second.kind)
  if (byRank !== 0 || rank === 0) return byRank || byKind
  const sum = (group: typeof one, name: 'records' | 'calls') =>
    group.reduce((total, { details }) => total + (costOf(details)[name] ?? 0), 0)
  const since = (group: typeof one) => group.map((item) => item.since ?? LAST).toSorted()[0]!
  const byAge = since(one) === since(other) ? 0 : since(one) < since(other) ? -1 : 1
  return sum(other, 'records') - sum(one, 'records') || sum(other, 'calls') - sum(one, 'calls') || byAge || byKind
}

/** The records and calls that something has cost, as far as its item says. */
function costOf(details: AttentionItem['details']): Partial<Record<'records' | 'calls', number>> {
  // A call beyond the limits of its key, of which nothing was applied.
  if ('wanted' in details) return { records: details.wanted, calls: 1 }
  if (!('calls' in details)) return {}
  return { calls: details.calls, ...('records' in details ? { records: details.records } : {}) }
}

/** After all instants. */
const LAST = '~'

/** Tells an item from all others of its company, also at another time. */
export function nameOfItem({ kind, subject, details }: AttentionItem): string {
  return [kind, subject.id, ...('code' in details ? [details.code] : [])].join(' ')
}

function findOfWork({ failingWork, now }: AttentionFacts): AttentionItem[] {
  return failingWork.flatMap(({ work, subject, since, error }): AttentionItem[] => {
    if (work === 'signing') {
      const checkpoints = { id: work, name: 'Signed checkpoints' }
      return [{ kind: 'ledger_unsigned', subject: checkpoints, since, details: { error } }]
    }
    if (Date.parse(now) - Date.parse(since) < FAILING_MS) return []
    const id = subject === '' ? work : `${work} ${subject}`
    return [{ kind: 'work_failing', subject: { id, name: 'Background work' }, since, details: { work } }]
  })
}

function findOfProvider({ provider }: AttentionFacts): AttentionItem[] {
  if (!provider || provider.failingSince === null) return []
  const { id, name, failingSince, fault } = provider
  return [{ kind: 'provider_failing', subject: { id, name }, since: failingSince, details: { fault: fault ?? '' } }]
}

function findOfWebhooks({ webhooks, now }: AttentionFacts): AttentionItem[] {
  return webhooks.flatMap(({ id, name, disabledReason, disabledAt, failingSince, error }): AttentionItem[] => {
    const subject = { id, name }
    if (disabledReason !== null)
      return [{ kind: 'webhook_disabled', subject, since: disabledAt, details: { reason: disabledReason } }]
    if (failingSince === null || Date.parse(now) - Date.parse(failingSince) < FAILING_MS) return []
    return [{ kind: 'webhook_failing', subject, since: failingSince, details: { error } }]
  })
}

/** What a key did to people since the start of yesterday, or was kept from doing. */
function findOfPeople({ id, name, usage, isEnabled }: KeyFacts, { now, timeZone }: AttentionFacts): AttentionItem[] {
  if (!isEnabled) return []
  const since = new Date(startOfYesterday(Date.parse(now), timeZone)).toISOString()
  const isRecent = <Found extends { at: string }>(found: Found | null | undefined) =>
    found && found.at >= since ? [found] : []
  const subject = { id, name }
  return [
    ...isRecent(usage.people?.refused).map(({ at, log_id, limited, wanted, done, limit, active }): AttentionItem => {
      const details = { limited, wanted, done, limit, active, last_log_id: log_id }
      return { kind: 'key_limit_reached', subject, since: at, details }
    }),
    ...isRecent(usage.people?.unusual).map(({ at, ...details }): AttentionItem => ({
      kind: 'key_deactivated_many',
      subject,
      since: at,
      details,
    })),
  ]
}

function findOfKey(key: KeyFacts, facts: AttentionFacts): AttentionItem[] {
  const nowMs = Date.parse(facts.now)
  const subject = { id: key.id, name: key.name }
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= nowMs) {
    if (nowMs - Date.parse(key.expiresAt) > EXPIRED_LONG_AGO_MS) return []
    return [{ kind: 'key_expired', subject, since: key.expiresAt, details: { expires_at: key.expiresAt } }]
  }
  // Whoever disabled a key knows that it doesn't work.
  if (!key.isEnabled) return []
  const items: AttentionItem[] = []
  if (key.expiresAt !== null && Date.parse(key.expiresAt) - nowMs <= EXPIRES_SOON_MS) {
    const since = new Date(Date.parse(key.expiresAt) - EXPIRES_SOON_MS).toISOString()
    items.push({ kind: 'key_expiring', subject, since, details: { expires_at: key.expiresAt } })
  }
  const requests = requestsInWindow(key.usage, key.refreshPeriod, nowMs)
  if (key.quotaLimit > 0 && requests >= NEARLY_USED * key.quotaLimit) {
    const resetsAt = new Date(windowEnd(key.refreshPeriod, nowMs)).toISOString()
    const details = { requests_made: requests, quota_limit: key.quotaLimit, resets_at: resetsAt }
    const refused = facts.failedCalls.find((found) => found.subject.id === key.id && isOfQuota(found.details))
    const { calls = 0, records = 0, is_more = false } = refused?.details ?? {}
    items.push(
      requests >= key.quotaLimit
        ? { kind: 'quota_used', subject, since: null, details: { ...details, calls, records, is_more } }
        : { kind: 'quota_nearly_used', subject, since: null, details },
    )
  }
  const missed =
    key.expectation &&
    findMissedDeadline(key.expectation, { nowMs, timeZone: facts.timeZone, lastCallMs: toMs(key.lastCallAt) })
  if (missed !== null) {
    const expectedBy = new Date(missed).toISOString()
    const details = { expected_by: expectedBy, last_call_at: key.lastCallAt }
    items.push({ kind: 'call_missing', subject, since: expectedBy, details })
  }
  const unusedMs = Date.parse(key.createdAt) + UNUSED_MS
  // A missed call says the same.
  if (key.usage.lastUsedMs === null && unusedMs <= nowMs && missed === null) {
    const details = { created_at: key.createdAt }
    items.push({ kind: 'key_unused', subject, since: new Date(unusedMs).toISOString(), details })
  }
  return items
}

function toMs(instant: string | null) {
  return instant === null ? null : Date.parse(instant)
}

/** The changes of one check. Any others follow with the next ones. */
const MAX_CHANGES = 100

/** An item that was raised, perhaps by another version of the program. */
export interface RaisedItem {
  name: string
  item: AttentionItem
}

/** What is found now. */
interface FoundItems {
  items: readonly AttentionItem[]
  /** What somebody has put off: it neither begins nor ends. */
  snoozed: readonly AttentionItem[]
  /** The kinds of which there may be more. */
  uncounted: readonly AttentionKind[]
}

/** A change of what needs attention, and its event. */
interface AttentionChange extends RaisedItem {
  event: Extract<NewEvent, { type: 'AttentionRaised' | 'AttentionResolved' }>
}

/**
 * Decides what begins and what stops needing attention, from the items that were raised before and those that are found
 * now. What was raised lasts if it is snoozed, if this version doesn't know its kind, or if its kind is among
 * `uncounted`: of these, not everything was read. `version` is that of the next event of the company's stream.
 */
export function decideAttention(
  companyId: string,
  raised: readonly RaisedItem[],
  { items, snoozed, uncounted }: FoundItems,
  version: number,
): AttentionChange[] {
  const canEnd = ({ kind }: AttentionItem) => isAttentionKind(kind) && !uncounted.includes(kind)
  const before = new Map(raised.map(({ name, item }) => [name, item]))
  const now = new Map(items.map((item) => [nameOfItem(item), item]))
  const begun = [...now].filter(([name]) => !before.has(name))
  const lasting = new Set(snoozed.map(nameOfItem))
  const ended = [...before].filter(([name, item]) => !now.has(name) && !lasting.has(name) && canEnd(item))
  return [
    ...ended.map(([name, item]) => ({ name, item, type: 'AttentionResolved' as const })),
    ...begun.map(([name, item]) => ({ name, item, type: 'AttentionRaised' as const })),
  ]
    .slice(0, MAX_CHANGES)
    .map(({ name, item, type }, at) => {
      const event = { type, stream: companyId, version: version + at, index: null, data: attentionData(item) }
      return { name, item, event }
    })
}

/** The data of an event about an item. */
export function attentionData({ kind, subject, details }: AttentionItem): EventData['AttentionRaised'] {
  return { kind, subject_id: subject.id, ...('code' in details ? { code: details.code } : {}) }
}
