import type { Spell } from '../fault.ts'
import type { Attempt, Operation } from '../workload.ts'
import type { Finding } from './finding.ts'
import { findings } from './finding.ts'

/* What the oracle expects of callers who have nothing to do with a fault. */

/** How soon a call for a machine that works has to be answered. */
const ANSWERED_WITHIN_MS = 2_000
/** The service's lock_timeout. */
const WAITS_FOR_SHARD_MS = 10_000

interface Tried extends Attempt {
  id: string
}

/** A hostile caller must not cause anybody else to be refused or to wait in vain. */
export function hurtOthers(operations: Operation[], from: number, to: number): Finding[] {
  const attempts = attemptsOf(operations)
  const isServed = attempts.some(
    ({ status, at, took }) => status !== null && status < 300 && at >= from && at + took <= to,
  )
  const found = hurt(attempts)
  return isServed ? found : [...found, { kind: 'hurt others', text: 'nobody else was served meanwhile' }]
}

/** Companies that a spell doesn't affect are served, and soon. Those that it affects may be late. */
export function spellFaults(operations: Operation[], spells: Spell[], looksAtTimes: boolean): Finding[] {
  return spells.flatMap(({ from, to, companyIds, isAway }) => {
    const during = (isAffected: boolean) =>
      attemptsOf(operations.filter(({ companyId }) => companyIds.includes(companyId) === isAffected)).filter(
        ({ at, took }) => at < to && at + took > from,
      )
    const others = during(false)
    const late = others.filter(({ took }) => looksAtTimes && took > ANSWERED_WITHIN_MS)
    // On a busy machine, a move can take longer than a call waits for its shard.
    const served = [...others, ...(isAway ? [] : during(true))].filter(
      ({ took }) => looksAtTimes || took < WAITS_FOR_SHARD_MS,
    )
    return [...hurt(served), ...findings('slow answer', late.map(textOf))]
  })
}

function attemptsOf(operations: Operation[]): Tried[] {
  return operations.flatMap(({ id, attempts }) => attempts.map((attempt) => ({ id, ...attempt })))
}

function hurt(attempts: Tried[]): Finding[] {
  return findings('hurt others', refused(attempts).map(textOf))
}

function refused(attempts: Tried[]): Tried[] {
  return attempts.filter(({ status }) => status === null || status === 429 || status === 503)
}

function textOf({ id, status, at, took }: Tried): string {
  const answer = status === null ? 'no answer' : `answered ${status}`
  return `${id}: at ${Math.round(at)} ms, ${answer} after ${Math.round(took)} ms`
}
