import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { KEY_SCOPES, REFRESH_PERIODS } from '../../../src/domain/accounts/api-key.ts'
import { NO_LIMITS } from '../../../src/domain/accounts/key-limits.ts'
import {
  type KeyChange,
  type KeyEvent,
  type KeyLife,
  decideKeyChange,
  evolveKey,
  decideIssue,
  MAX_OVERLAP_SECONDS,
  type WantedAccess,
  FULL_ACCESS,
} from '../../../src/domain/accounts/key-lifecycle.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const UNBORN: KeyLife = {
  id: 'key_01h455vb4pex5vsknk084sn02q',
  version: 0,
  name: '',
  quotaLimit: 0,
  refreshPeriod: 'hourly',
  ...FULL_ACCESS,
  isEnabled: false,
  isRevoked: false,
  expectedCalls: null,
  limits: NO_LIMITS,
  excess: null,
}

const born = (access: WantedAccess = {}): KeyLife =>
  decideIssue({ ...UNBORN, name: 'a', quotaLimit: 1, refreshPeriod: 'daily', ...access }, NOW).events!.reduce(
    evolveKey,
    UNBORN,
  )
const eventsOf = (key: KeyLife, change: KeyChange): KeyEvent[] => decideKeyChange(key, change, NOW).events ?? []
const after = (key: KeyLife, ...changes: KeyChange[]) =>
  changes.reduce((key, change) => eventsOf(key, change).reduce(evolveKey, key), key)

const anyName = fc.constantFrom('a', 'b', 'c')
const anyPeriod = fc.constantFrom(...REFRESH_PERIODS)
const anyEdit = fc.record(
  {
    change: fc.constant('edit' as const),
    name: anyName,
    quotaLimit: fc.nat({ max: 3 }),
    refreshPeriod: anyPeriod,
    scopes: fc.shuffledSubarray([...KEY_SCOPES], { minLength: 1 }),
    expiresAt: fc.constantFrom(null, '2026-11-20T12:00:00.001Z', '2027-01-01T02:00:00+02:00'),
    allowedNetworks: fc.option(fc.array(fc.constantFrom('10.0.0.0/8', '192.0.2.1', '::1/128', '::ffff:10.0.0.0/104'))),
  },
  { requiredKeys: ['change'] },
)
const anyChange: fc.Arbitrary<KeyChange> = fc.oneof(
  anyEdit,
  fc.record({ change: fc.constant('rotate' as const), overlapSeconds: fc.nat({ max: MAX_OVERLAP_SECONDS }) }),
  fc.constantFrom<KeyChange>({ change: 'disable' }, { change: 'enable' }, { change: 'revoke' }),
)

await t.test('a new key is enabled and has the issued name and quota', async (t) => {
  t.match(born(), { version: 1, name: 'a', quotaLimit: 1, refreshPeriod: 'daily', isEnabled: true, isRevoked: false })
  t.match(born(), { scopes: FULL_ACCESS.scopes, expiresAt: null, allowedNetworks: null })
})

await t.test('access is kept in its usual form, so that the same access is no change', async (t) => {
  const key = born({
    scopes: ['employees:write', 'employees:read'],
    expiresAt: '2027-01-01T01:00:00+01:00',
    allowedNetworks: ['2001:DB8::/32', '10.1.2.3', '::ffff:10.1.2.3', '10.1.2.3/32'],
  })
  t.match(key, {
    scopes: FULL_ACCESS.scopes,
    expiresAt: '2027-01-01T00:00:00.000Z',
    allowedNetworks: ['10.1.2.3/32', '2001:db8::/32'],
  })
  const same = { expiresAt: '2026-12-31T19:00:00-05:00', allowedNetworks: ['2001:db8::/32', '10.1.2.3'] }
  t.strictSame(eventsOf(key, { change: 'edit', ...same, scopes: [...FULL_ACCESS.scopes] }), [])
  t.strictSame(after(key, { change: 'edit', allowedNetworks: [] }).allowedNetworks, null, 'no network is no limit')
})

await t.test('a new access is one event with the old and the new one; an expired key can be revived', async (t) => {
  const from = { scopes: FULL_ACCESS.scopes, expires_at: null, allowed_networks: null }
  const to = { ...from, scopes: ['employees:read'], expires_at: '2026-11-20T12:00:00.001Z' }
  const edit = { change: 'edit', scopes: ['employees:read'], expiresAt: '2026-11-20T12:00:00.001Z' } as const
  t.strictSame(
    eventsOf(born(), edit).map(({ type, data }) => ({ type, data })),
    [{ type: 'ApiKeyAccessChanged', data: { from, to } }],
  )
  const later = '2026-12-01T00:00:00.000Z'
  const expired = after(born(), edit)
  t.strictSame(decideKeyChange(expired, edit, later).events, [], 'an expiry that stays may have passed')
  t.equal(decideKeyChange(expired, { change: 'edit', expiresAt: null }, later).events?.length, 1)
})

const REFUSED_ACCESS: [string, WantedAccess, string[]][] = [
  ['an expiry that is now', { expiresAt: NOW }, ['/expires_at invalid_value']],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, ['/expires_at invalid_value']],
  ['the year 10000', { expiresAt: '9999-12-31T23:59:59-01:00' }, ['/expires_at invalid_value']],
  ['a leap second', { expiresAt: '2030-06-30T23:59:60Z' }, ['/expires_at invalid_value']],
  [
    '33 networks',
    { allowedNetworks: Array.from({ length: 33 }, (_, at) => `10.0.0.${at}`) },
    ['/allowed_networks too_long'],
  ],
  [
    'several faults',
    { expiresAt: NOW, allowedNetworks: ['10.0.0.0/8', '10.0.0.1/8', 'x'] },
    ['/expires_at invalid_value', '/allowed_networks/1 invalid_format', '/allowed_networks/2 invalid_format'],
  ],
]

await t.test('a faulty access is refused with every fault, and changes nothing else', async (t) => {
  for (const [name, access, faults] of REFUSED_ACCESS) {
    for (const decided of [
      decideIssue({ ...UNBORN, ...access }, NOW),
      decideKeyChange(born(), { change: 'edit', name: 'b', ...access }, NOW),
    ]) {
      t.strictSame(
        decided.problem?.errors.map(({ pointer, code }) => `${pointer} ${code}`),
        faults,
        name,
      )
    }
  }
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
