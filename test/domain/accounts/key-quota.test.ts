import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  type ApiKey,
  type KeyUsage,
  type RefreshPeriod,
  isSecretValid,
  REFRESH_PERIODS,
  requestsInWindow,
  useKey,
  windowEnd,
  windowStart,
} from '../../../src/domain/accounts/api-key.ts'

const startOf = (period: RefreshPeriod, at: string) => new Date(windowStart(period, Date.parse(at))).toISOString()

await t.test('hourly windows begin at the full hour, UTC', async (t) => {
  t.equal(startOf('hourly', '2026-03-01T12:34:56.789Z'), '2026-03-01T12:00:00.000Z')
  t.equal(startOf('hourly', '2026-03-01T12:00:00.000Z'), '2026-03-01T12:00:00.000Z')
  t.equal(startOf('hourly', '2026-03-01T00:30:00.000+05:30'), '2026-02-28T19:00:00.000Z')
})

await t.test('daily windows begin at midnight, UTC', async (t) => {
  t.equal(startOf('daily', '2026-03-01T23:59:59.999Z'), '2026-03-01T00:00:00.000Z')
  t.equal(startOf('daily', '2024-02-29T00:00:00.000Z'), '2024-02-29T00:00:00.000Z')
})

await t.test('weekly windows begin on Monday, across months and years', async (t) => {
  t.equal(
    startOf('weekly', '2026-03-01T12:00:00.000Z'),
    '2026-02-23T00:00:00.000Z',
    'a Sunday belongs to the week before',
  )
  t.equal(startOf('weekly', '2026-03-02T00:00:00.000Z'), '2026-03-02T00:00:00.000Z', 'a Monday starts its own')
  t.equal(startOf('weekly', '2026-03-01T23:59:59.999Z'), '2026-02-23T00:00:00.000Z')
  t.equal(startOf('weekly', '2027-01-01T08:00:00.000Z'), '2026-12-28T00:00:00.000Z')
})

await t.test('monthly windows begin on the first, UTC', async (t) => {
  t.equal(startOf('monthly', '2026-12-31T23:59:59.999Z'), '2026-12-01T00:00:00.000Z')
  t.equal(startOf('monthly', '2028-02-29T12:00:00.000Z'), '2028-02-01T00:00:00.000Z')
})

const anyPeriod = fc.constantFrom(...REFRESH_PERIODS)
const anyInstant = fc.integer({ min: 0, max: Date.UTC(2500, 0) })
const MAX_MS = { hourly: 3_600_000, daily: 86_400_000, weekly: 7 * 86_400_000, monthly: 31 * 86_400_000 }

await t.test('an instant is in the window that starts at its start, and a start in its own', async () => {
  fc.assert(
    fc.property(anyPeriod, anyInstant, (period, at) => {
      const start = windowStart(period, at)
      assert.ok(start <= at && at - start < MAX_MS[period])
      assert.equal(windowStart(period, start), start)
      const begins = new Date(start)
      assert.ok(start % (period === 'hourly' ? MAX_MS.hourly : MAX_MS.daily) === 0)
      if (period === 'weekly') assert.equal(begins.getUTCDay(), 1)
      if (period === 'monthly') assert.equal(begins.getUTCDate(), 1)
    }),
  )
})

await t.test("no window starts between an instant's window start and the instant", async () => {
  fc.assert(
    fc.property(anyPeriod, anyInstant, fc.double({ min: 0, max: 1, noNaN: true }), (period, at, share) => {
      const start = windowStart(period, at)
      assert.equal(windowStart(period, Math.floor(start + (at - start) * share)), start)
    }),
  )
})

await t.test('a window ends where the next begins', async (t) => {
  const endOf = (period: RefreshPeriod, at: string) => new Date(windowEnd(period, Date.parse(at))).toISOString()
  t.equal(endOf('hourly', '2026-12-31T23:30:00.000Z'), '2027-01-01T00:00:00.000Z')
  t.equal(endOf('daily', '2028-02-28T12:00:00.000Z'), '2028-02-29T00:00:00.000Z')
  t.equal(endOf('weekly', '2026-03-01T12:00:00.000Z'), '2026-03-02T00:00:00.000Z')
  t.equal(endOf('monthly', '2026-12-31T23:59:59.999Z'), '2027-01-01T00:00:00.000Z')
  t.equal(endOf('monthly', '2026-02-01T00:00:00.000Z'), '2026-03-01T00:00:00.000Z')
  fc.assert(
    fc.property(anyPeriod, anyInstant, (period, at) => {
      const end = windowEnd(period, at)
      assert.ok(end > at)
      assert.equal(windowStart(period, end), end)
      assert.equal(windowStart(period, end - 1), windowStart(period, at))
    }),
  )
})

await t.test('requests in one window add up, and a new window starts at zero', async (t) => {
  const fresh: KeyUsage = { windowStartMs: 0, requestsMade: 0, lastUsedMs: null, people: null }
  const [first, second, next] = ['2026-03-01T10:10:00Z', '2026-03-01T10:50:00Z', '2026-03-01T11:00:00Z'].map(Date.parse)
  const once = useKey(fresh, 'hourly', first!, 1)
  const twice = useKey(once, 'hourly', second!, 1)
  t.equal(requestsInWindow(twice, 'hourly', second!), 2)
  t.equal(requestsInWindow(twice, 'hourly', next!), 0)
  t.match(useKey(twice, 'hourly', next!, 1), { requestsMade: 1, windowStartMs: next })
})

await t.test('a call that costs nothing still counts as a use', async (t) => {
  const usage = { windowStartMs: windowStart('daily', 5_000), requestsMade: 7, lastUsedMs: 1_000, people: null }
  t.match(useKey(usage, 'daily', 5_000, 0), { requestsMade: 7, lastUsedMs: 5_000 })
})

await t.test('the last use never goes back', async (t) => {
  const usage = { windowStartMs: 0, requestsMade: 0, lastUsedMs: 9_000, people: null }
  t.equal(useKey(usage, 'daily', 5_000, 1).lastUsedMs, 9_000)
})

const [CURRENT, PREVIOUS, WRONG] = ['c', 'a', 'b'].map((digit) => digit.repeat(64)) as [string, string, string]

const KEY = { secretHash: CURRENT, isEnabled: true, isRevoked: false, previous: null, expiresAtMs: null } as ApiKey

await t.test('a secret is valid of a key that is neither revoked nor expired', async (t) => {
  t.ok(isSecretValid(KEY, CURRENT, 0))
  t.ok(isSecretValid({ ...KEY, isEnabled: false }, CURRENT, 0), 'also of a disabled key')
  t.notOk(isSecretValid({ ...KEY, isEnabled: false }, WRONG, 0))
  t.notOk(isSecretValid({ ...KEY, isRevoked: true }, CURRENT, 0))
  t.notOk(isSecretValid({ ...KEY, isEnabled: false, isRevoked: true }, CURRENT, 0))
  t.notOk(isSecretValid(undefined, CURRENT, 0))
})

await t.test('a key expires at the very instant, with its previous secret', async (t) => {
  const key = { ...KEY, expiresAtMs: 1_000, previous: { secretHash: PREVIOUS, expiresAtMs: 9_000 } }
  for (const secret of [CURRENT, PREVIOUS]) {
    t.ok(isSecretValid(key, secret, 999))
    t.notOk(isSecretValid(key, secret, 1_000))
  }
})

await t.test('the previous secret works until just before its end, and never for a revoked key', async (t) => {
  const previous = { secretHash: PREVIOUS, expiresAtMs: 1_000 }
  const key = { ...KEY, previous }
  t.ok(isSecretValid(key, PREVIOUS, 999))
  t.notOk(isSecretValid(key, PREVIOUS, 1_000))
  t.notOk(isSecretValid({ ...key, isRevoked: true }, PREVIOUS, 999))
  t.notOk(isSecretValid({ ...key, previous: null }, PREVIOUS, 0))
  t.ok(isSecretValid(key, CURRENT, 5_000), 'the current one has no end')
})

await t.test("a clock that goes back across a window's end does not grant the quota again", async (t) => {
  const evening = Date.parse('2026-03-01T00:00:01.000Z')
  const before = useKey({ windowStartMs: 0, requestsMade: 0, lastUsedMs: null, people: null }, 'monthly', evening, 5)
  const back = Date.parse('2026-02-28T23:59:59.000Z')
  t.equal(requestsInWindow(before, 'monthly', back), 5)
  const after = useKey(before, 'monthly', back, 1)
  t.equal(requestsInWindow(after, 'monthly', evening), 6)
})
