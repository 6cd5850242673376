import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { REFRESH_PERIODS } from '../../../src/domain/company.ts'
import type { KeyChange, KeyEvent, KeyLife } from '../../../src/domain/accounts/key-lifecycle.ts'
import {
  decideKeyChange,
  evolveKey,
  decideIssue,
  MAX_OVERLAP_SECONDS,
} from '../../../src/domain/accounts/key-lifecycle.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const UNBORN: KeyLife = {
  ...{ id: 'key_01h455vb4pex5vsknk084sn02q', version: 0, name: '', quotaLimit: 0, refreshPeriod: 'hourly' },
  ...{ isEnabled: false, isRevoked: false },
}

const born = (): KeyLife =>
  evolveKey(UNBORN, decideIssue({ ...UNBORN, name: 'a', quotaLimit: 1, refreshPeriod: 'daily' }))
const eventsOf = (key: KeyLife, change: KeyChange): KeyEvent[] => decideKeyChange(key, change, NOW).events ?? []
const after = (key: KeyLife, ...changes: KeyChange[]) =>
  changes.reduce((key, change) => eventsOf(key, change).reduce(evolveKey, key), key)

const anyName = fc.constantFrom('a', 'b', 'c')
const anyPeriod = fc.constantFrom(...REFRESH_PERIODS)
const anyEdit = fc.record(
  { change: fc.constant('edit' as const), name: anyName, quotaLimit: fc.nat({ max: 3 }), refreshPeriod: anyPeriod },
  { requiredKeys: ['change'] },
)
const anyChange: fc.Arbitrary<KeyChange> = fc.oneof(
  anyEdit,
  fc.record({ change: fc.constant('rotate' as const), overlapSeconds: fc.nat({ max: MAX_OVERLAP_SECONDS }) }),
  fc.constantFrom<KeyChange>({ change: 'disable' }, { change: 'enable' }, { change: 'revoke' }),
)

await t.test('a new key is enabled and has the issued name and quota', async (t) => {
  t.match(born(), { version: 1, name: 'a', quotaLimit: 1, refreshPeriod: 'daily', isEnabled: true, isRevoked: false })
})

await t.test('after any history the versions of the stream are 1, 2, 3 …', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), (changes) => {
      let key = born()
      for (const change of changes) {
        for (const event of eventsOf(key, change)) {
          assert.equal(event.version, key.version + 1)
          key = evolveKey(key, event)
        }
      }
    }),
  )
})

await t.test('a change to the current value gives no event; a rotation always does', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), anyChange, (changes, change) => {
      const key = after(after(born(), ...changes), change)
      assert.equal(eventsOf(key, change).length, change.change === 'rotate' && !key.isRevoked ? 1 : 0)
    }),
  )
})

await t.test('nothing revives a revoked key', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), fc.array(anyChange), (before, later) => {
      const revoked = after(born(), ...before, { change: 'revoke' })
      assert.deepEqual(after(revoked, ...later), revoked)
      for (const change of later) {
        const code = decideKeyChange(revoked, change, NOW).problem?.code
        assert.equal(code, change.change === 'revoke' ? undefined : 'key_revoked')
      }
    }),
  )
})

await t.test(
  'a rotation says until when the old secret works, to the second, and whether it ends at once',
  async (t) => {
    const until = (overlapSeconds: number) => eventsOf(born(), { change: 'rotate', overlapSeconds })[0]!.data
    t.strictSame(until(0), { overlap_seconds: 0, previous_expires_at: null })
    t.strictSame(until(1), { overlap_seconds: 1, previous_expires_at: '2026-11-20T12:00:01.000Z' })
    t.strictSame(until(MAX_OVERLAP_SECONDS), {
      overlap_seconds: 604_800,
      previous_expires_at: '2026-11-27T12:00:00.000Z',
    })
  },
)

await t.test('an edit has old and new values', async (t) => {
  const events = eventsOf(born(), { change: 'edit', name: 'b', quotaLimit: 2 })
  t.strictSame(
    events.map(({ type, version, data }) => ({ type, version, data })),
    [
      { type: 'ApiKeyRenamed', version: 2, data: { from: 'a', to: 'b' } },
      {
        type: 'ApiKeyQuotaChanged',
        version: 3,
        data: { from: { quota_limit: 1, refresh_period: 'daily' }, to: { quota_limit: 2, refresh_period: 'daily' } },
      },
    ],
  )
})
