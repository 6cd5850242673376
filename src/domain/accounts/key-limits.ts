import type { CallCounts } from '../events.ts'
import { problem, type Problem } from '../errors.ts'
import type {
  ApiKey,
  KeyExcess,
  KeyLimits,
  Limited,
  PeopleLimit,
  PeopleNumbers,
  PeopleUse,
  RefusedExcess,
} from './api-key.ts'

/*
 * How many people a key may deactivate, and change, in a UTC day. A call beyond that is refused as a whole. What every
 * key does is counted, also without a limit, because somebody has to be told if it deactivates unusually many people.
 */

/** What is limited: people who are deactivated, and those who are changed, deactivations included. */
export const LIMITED = ['max_deactivations', 'max_changes'] as const satisfies Limited[]

export const NO_LIMITS: KeyLimits = { max_deactivations: null, max_changes: null }

/** How long an administrator allows what is beyond the limits. */
const EXCESS_MS = 86_400_000

/** A limit as a share of the active people. */
export const SHARE_PATTERN = '^(?:100|[1-9]?[0-9])%$'

const NOTHING: PeopleNumbers = { max_deactivations: 0, max_changes: 0 }

/** Up to so many deactivations in a day are usual, whatever the share. */
const USUAL_NUMBER = 25
const USUAL_PERCENT = 10

/** How many people a key usually deactivates in a day at most, if so many are active. */
function usualAmong(active: number) {
  return Math.max(USUAL_NUMBER, amountOf(`${USUAL_PERCENT}%`, active))
}

/** The limit that is proposed for deactivations: the larger of a number and a share, if so many people are active. */
export function proposeLimit(active: number): PeopleLimit {
  return usualAmong(active) > USUAL_NUMBER ? `${USUAL_PERCENT}%` : USUAL_NUMBER
}

/** How many people a limit is, if so many are active. */
function amountOf(limit: PeopleLimit, active: number) {
  return typeof limit === 'number' ? limit : Math.floor((Number.parseInt(limit, 10) * active) / 100)
}

/** How old the number of active people may be for a call to be refused by it. */
const COUNT_AGE_MS = 60_000

/** What a key's limits say of a call that would succeed. */
type Limiting =
  /** `use` is what the key did afterwards. */
  | { use: PeopleUse | null; refusal: Problem | null; needsActive?: false }
  /** The people who are active must be counted first. */
  | { needsActive: true }

/**
 * Counts a call of a key, or refuses it for a limit. `active` is the number of active people if they have just been
 * counted, `now` the time of the call (RFC 3339 UTC).
 */
export function limitPeople(
  { limits, excess: allowed }: Pick<ApiKey, 'limits' | 'excess'>,
  before: PeopleUse | null,
  { callId, counts }: { callId: string; counts: CallCounts },
  active: number | null,
  now: string,
): Limiting {
  const wanted = { max_deactivations: counts.deactivated, max_changes: counts.updated + counts.deactivated }
  if (wanted.max_changes === 0) return { use: before, refusal: null }
  const day = now.slice(0, 10)
  const isToday = before?.day === day
  const counted = active === null ? (isToday ? before.active : null) : { count: active, at: now }
  const doneBefore = isToday ? before.done : NOTHING
  const done = add(doneBefore, wanted)
  const hasShare = LIMITED.some((name) => wanted[name] > 0 && typeof limits[name] === 'string')
  const mayBeUnusual = done.max_deactivations > USUAL_NUMBER
  if (!counted && (hasShare || mayBeUnusual)) return { needsActive: true }

  const activeCount = counted?.count ?? 0
  const exceeded = LIMITED.filter((name) => {
    const limit = limits[name]
    return wanted[name] > 0 && limit !== null && done[name] > amountOf(limit, activeCount)
  })
  const isExcess = allowed !== null && now < allowed.until
  const used = isExcess && before?.excess?.until === allowed.until ? before.excess.done : NOTHING
  const isAllowed = (name: Limited) => isExcess && used[name] + wanted[name] <= (allowed[name] ?? 0)
  const limited = exceeded.find((name) => !isAllowed(name))
  const kept = { day, active: counted, refused: before?.refused ?? null, unusual: before?.unusual ?? null }
  if (limited !== undefined) {
    if (!counted || Date.parse(now) - Date.parse(counted.at) > COUNT_AGE_MS) return { needsActive: true }
    const refused: RefusedExcess = {
      at: now,
      log_id: callId,
      limited,
      wanted: wanted[limited],
      call: wanted,
      done: doneBefore[limited],
      limit: amountOf(limits[limited]!, activeCount),
      active: activeCount,
    }
    return { use: { ...kept, done: doneBefore, excess: before?.excess ?? null, refused }, refusal: refuse(refused) }
  }
  const excess = isExcess ? { until: allowed.until, done: add(used, wanted) } : null
  const isUnusual = mayBeUnusual && done.max_deactivations > usualAmong(activeCount)
  const since = kept.unusual?.at.startsWith(day) ? kept.unusual.at : now
  const unusual = { at: since, deactivations: done.max_deactivations, active: activeCount }
  return { use: { ...kept, done, excess, unusual: isUnusual ? unusual : kept.unusual }, refusal: null }
}

function add(one: PeopleNumbers, other: PeopleNumbers): PeopleNumbers {
  return {
    max_deactivations: one.max_deactivations + other.max_deactivations,
    max_changes: one.max_changes + other.max_changes,
  }
}

const VERBS = {
  max_deactivations: { verb: 'deactivate', done: 'deactivated' },
  max_changes: { verb: 'change', done: 'changed' },
} as const

/** The words for what is limited. */
export function wordLimited(limited: Limited): { verb: string; done: string } {
  return VERBS[limited]
}

function refuse({ limited, limit, done, wanted, active }: RefusedExcess): Problem {
  const { verb, done: past } = VERBS[limited]
  const people = limit === 1 ? '1 person' : `${limit} people`
  const more = `${wanted} more, of ${active} active people`
  const today = `has ${past} ${done} today (UTC), and this call would ${verb} ${more}`
  const detail = `The API key may ${verb} ${people} a day, ${today}. Nothing was applied; an administrator can allow it`
  return problem('limit_reached', detail)
}

/** What is allowed beyond the limits from `now` on (RFC 3339 UTC), for a day. */
export function allowExcess(numbers: Pick<KeyExcess, Limited>, now: string): KeyExcess {
  const { max_deactivations, max_changes } = numbers
  return { max_deactivations, max_changes, until: new Date(Date.parse(now) + EXCESS_MS).toISOString() }
}

/** Whether two limits are the same. */
export function isSameLimits(one: KeyLimits, other: KeyLimits) {
  return LIMITED.every((name) => one[name] === other[name])
}
