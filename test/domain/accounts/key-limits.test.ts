import type { KeyExcess, KeyLimits, PeopleUse } from '../../../src/domain/accounts/api-key.ts'
import t from 'tap'
import { limitPeople, NO_LIMITS, proposeLimit } from '../../../src/domain/accounts/key-limits.ts'

const MORNING = '2026-11-27T06:00:00.000Z'
const NOON = '2026-11-27T12:00:00.000Z'
const TOMORROW = '2026-11-28T00:00:00.000Z'

interface Given {
  before?: PeopleUse | null
  deactivated?: number
  updated?: number
  active?: number | null
  now?: string
  excess?: KeyExcess | null
}

/** A call of a key with these limits, of a company with 3,000 active people unless they are not counted yet. */
function call(limits: Partial<KeyLimits>, { before = null, deactivated = 0, updated = 0, ...given }: Given) {
  const { active = 3_000, now = MORNING, excess = null } = given
  const counts = { total: 9_999, updated, deactivated, failed: 0, no_updates: 0 }
  const key = { limits: { ...NO_LIMITS, ...limits }, excess }
  return limitPeople(key, before, { callId: 'log_1', counts }, active, now)
}

/** The same, of a call that passes. */
function pass(limits: Partial<KeyLimits>, given: Given): PeopleUse {
  const limiting = call(limits, given)
  if (limiting.needsActive || limiting.refusal || !limiting.use) throw new Error('the call did not pass')
  return limiting.use
}

await t.test('calls of a day add up to the limit, and the next day begins anew', async (t) => {
  const limits = { max_deactivations: 10 }
  const before = pass(limits, { deactivated: 6 })
  t.match(call(limits, { before, deactivated: 5, now: NOON }), { refusal: { status: 409, code: 'limit_reached' } })
  t.match(pass(limits, { before, deactivated: 4, now: NOON }), { done: { max_deactivations: 10, max_changes: 10 } })
  t.match(pass(limits, { before, deactivated: 10, now: TOMORROW }), { done: { max_deactivations: 10 } })
})

await t.test('changes count the people who are updated and those who are deactivated', async (t) => {
  const limits = { max_changes: 10 }
  const before = pass(limits, { deactivated: 4, updated: 5 })
  t.match(call(limits, { before, updated: 2 }), { use: { refused: { limited: 'max_changes', wanted: 2, done: 9 } } })
  t.equal(call({ max_changes: 0 }, { updated: 0 }).needsActive, undefined)
  t.equal(pass({ max_deactivations: 0 }, { updated: 9 }).done.max_changes, 9, 'what is not deactivated')
})

await t.test('a share is of the people who are active, who are counted once a day, and again to refuse', async (t) => {
  const limits = { max_deactivations: '10%' } as const
  t.match(call(limits, { deactivated: 1, active: null }), { needsActive: true })
  const before = pass(limits, { deactivated: 300 })
  t.match(before, { active: { count: 3_000, at: MORNING } })
  t.match(pass(limits, { before, updated: 5, active: null, now: NOON }), { active: { at: MORNING } })
  t.match(call(limits, { before, deactivated: 1, active: null, now: NOON }), { needsActive: true }, 'the count is old')
  t.match(call(limits, { before, deactivated: 1, now: NOON }), {
    refusal: { detail: /may deactivate 300 people a day, has deactivated 300 today .* 1 more, of 3000 active people/ },
    use: { done: { max_deactivations: 300 }, refused: { log_id: 'log_1', limit: 300, active: 3_000 } },
  })
  t.match(pass(limits, { before, deactivated: 1, active: 4_000, now: NOON }), { done: { max_deactivations: 301 } })
})

await t.test('what is allowed once passes for a day, up to that number in all', async (t) => {
  const limits = { max_deactivations: 10 }
  const excess = { max_deactivations: 412, max_changes: null, until: '2026-11-28T06:00:00.000Z' }
  const before = pass(limits, { deactivated: 10 })
  t.match(call(limits, { before, excess, deactivated: 413 }), { refusal: { code: 'limit_reached' } })
  const allowed = pass(limits, { before, excess, deactivated: 400 })
  t.match(call(limits, { before: allowed, excess, deactivated: 13 }), { refusal: { code: 'limit_reached' } })
  t.match(pass(limits, { before: allowed, excess, deactivated: 12, now: NOON }), {
    excess: { done: { max_deactivations: 412 } },
  })
  t.match(call(limits, { before, excess, deactivated: 11, now: excess.until }), { refusal: { code: 'limit_reached' } })
  const again = { ...excess, until: '2026-11-28T07:00:00.000Z' }
  t.match(pass(limits, { before: allowed, excess: again, deactivated: 412 }), { excess: { until: again.until } })
})

await t.test('more deactivations in a day than are usual are remembered, with and without a limit', async (t) => {
  t.equal(pass({}, { deactivated: 25, active: null }).unusual, null)
  t.match(call({}, { deactivated: 26, active: null }), { needsActive: true })
  t.equal(pass({}, { deactivated: 300 }).unusual, null)
  const before = pass({}, { deactivated: 301 })
  t.match(before.unusual, { at: MORNING, deactivations: 301, active: 3_000 })
  t.match(pass({}, { before, deactivated: 1, active: null, now: NOON }).unusual, { at: MORNING, deactivations: 302 })
  t.match(pass({}, { before, updated: 1, active: null, now: TOMORROW }).unusual, { at: MORNING, deactivations: 301 })
})

await t.test('the larger of 25 and 10 % is proposed', async (t) => {
  t.strictSame([0, 250, 259, 260].map(proposeLimit), [25, 25, 25, '10%'])
})
