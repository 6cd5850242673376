import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { ProviderSettings, ProviderUse } from '../../../src/domain/provider-settings.ts'
import type { ProviderChange, ProviderFacts, ProviderLife } from '../../../src/domain/providers/provider-lifecycle.ts'
import {
  decideProvider,
  decideProviderChange,
  evolveProvider,
} from '../../../src/domain/providers/provider-lifecycle.ts'

const ID = 'idp_01h455vb4pex5vsknk084sn02q'
const ANA = 'usr_01h455vb4pex5vsknk084sn02q'
const BEN = 'usr_01h455vb4pex5vsknk084sn02r'
const SETTINGS: ProviderSettings = {
  name: 'Okta',
  issuer: 'https://idp.example.com',
  client_id: 'ledger',
  client_auth: 'client_secret',
  creates_users: false,
  role_claim: null,
  roles: [],
}
const GOOD: ProviderFacts = { canBreakGlass: true, hasLinkedAdmin: true, hasAdminWithout: true }
const OFF: ProviderUse = { use: 'off', break_glass: null }
const OPTIONAL: ProviderUse = { use: 'optional', break_glass: null }
const REQUIRED: ProviderUse = { use: 'required', break_glass: ANA }
const { client_auth: _, ...EDITABLE } = SETTINGS

const born = (): ProviderLife =>
  evolveProvider({ id: ID, version: 0, settings: SETTINGS, use: REQUIRED }, decideProvider(ID, SETTINGS))
const inUse = (use: ProviderUse): ProviderLife => ({ ...born(), use })
const decide = (provider: ProviderLife, wanted: ProviderChange, facts: Partial<ProviderFacts> = {}) =>
  decideProviderChange(provider, wanted, { ...GOOD, ...facts })
const edit = (settings: Partial<ProviderSettings>): ProviderChange => ({
  change: 'edit',
  settings: { ...EDITABLE, ...settings },
})
const switchTo = (use: ProviderUse): ProviderChange => ({ change: 'use', use })

const anyUse = fc.constantFrom(OFF, OPTIONAL, REQUIRED, { use: 'required', break_glass: BEN } as const)
const anyChange: fc.Arbitrary<ProviderChange> = fc.oneof(
  fc
    .record(
      {
        name: fc.constantFrom('Okta', 'Entra'),
        issuer: fc.constantFrom('https://idp.example.com', 'https://other.example.com'),
        creates_users: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map(edit),
  fc
    .constantFrom('client_secret' as const, 'private_key_jwt' as const)
    .map((clientAuth) => ({ change: 'replace_secret' as const, clientAuth })),
  anyUse.map(switchTo),
)
const anyFacts = fc.record({
  canBreakGlass: fc.boolean(),
  hasLinkedAdmin: fc.boolean(),
  hasAdminWithout: fc.boolean(),
})

await t.test(
  'after any history the versions are 1, 2, 3 …, and only a required provider has a break-glass administrator',
  async () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyChange, anyFacts)), (history) => {
        let provider = born()
        for (const [change, facts] of history) {
          for (const event of decide(provider, change, facts).events ?? []) {
            assert.equal(event.version, provider.version + 1)
            provider = evolveProvider(provider, event)
          }
          assert.equal(provider.use.break_glass !== null, provider.use.use === 'required')
        }
      }),
    )
  },
)

await t.test('a change to the current state gives no event; a new secret always does', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), anyChange, (history, change) => {
      const after = [...history, change].reduce(
        (life, one) => (decide(life, one).events ?? []).reduce(evolveProvider, life),
        born(),
      )
      const { events, problem } = decide(after, change)
      if (!problem) assert.equal(events.length, change.change === 'replace_secret' ? 1 : 0)
    }),
  )
})

await t.test('a new provider is off', async (t) => {
  t.match(born(), { version: 1, use: OFF, settings: SETTINGS })
})

await t.test('an edit names the settings that differ, before and after', async (t) => {
  const { events } = decide(born(), edit({ name: 'Entra' }))
  t.match(events, [{ type: 'IdentityProviderChanged', data: { from: { name: 'Okta' }, to: { name: 'Entra' } } }])
  t.notMatch(JSON.stringify(events), 'issuer')
})

await t.test('another way to authenticate is a change of the settings and of the secret', async (t) => {
  const { events } = decide(born(), { change: 'replace_secret', clientAuth: 'private_key_jwt' })
  t.match(events, [
    { type: 'IdentityProviderChanged', version: 2, data: { to: { client_auth: 'private_key_jwt' } } },
    { type: 'IdentityProviderSecretReplaced', version: 3 },
  ])
})

await t.test('a provider in use keeps its issuer and client until it is turned off', async (t) => {
  for (const use of [OPTIONAL, REQUIRED]) {
    t.match(decide(inUse(use), edit({ issuer: 'https://other.example.com' })), { problem: { code: 'provider_in_use' } })
    t.match(decide(inUse(use), edit({ client_id: 'other' })), { problem: { code: 'provider_in_use' } })
    t.match(decide(inUse(use), edit({ name: 'Other' })), { events: [{ type: 'IdentityProviderChanged' }] })
  }
  t.match(decide(born(), edit({ issuer: 'https://other.example.com' })), { events: [{}] })
})

await t.test(
  'a provider is required only after an administrator has signed in, and with somebody who can break the glass',
  async (t) => {
    const wanted = switchTo(REQUIRED)
    t.match(decide(inUse(OPTIONAL), wanted), {
      events: [{ type: 'IdentityProviderUseChanged', data: { from: OPTIONAL, to: REQUIRED } }],
    })
    t.match(decide(inUse(OPTIONAL), wanted, { hasLinkedAdmin: false }), { problem: { code: 'provider_unproven' } })
    const faulty = { problem: { code: 'validation_failed', errors: [{ pointer: '/break_glass' }] } }
    t.match(decide(inUse(OPTIONAL), wanted, { canBreakGlass: false }), faulty)
    const another = switchTo({ use: 'required', break_glass: BEN })
    t.match(decide(inUse(REQUIRED), another, { hasLinkedAdmin: false }), { events: [{}] })
    t.match(decide(inUse(REQUIRED), another, { canBreakGlass: false }), faulty)
  },
)

await t.test('a provider stays while nobody could administer the company without it', async (t) => {
  const alone = { hasAdminWithout: false }
  t.match(decide(inUse(OPTIONAL), switchTo(OFF), alone), { problem: { code: 'last_admin' } })
  t.match(decide(inUse(OPTIONAL), { change: 'remove' }, alone), { problem: { code: 'last_admin' } })
  t.match(decide(inUse(OPTIONAL), switchTo(OFF)), { events: [{ data: { to: OFF } }] })
  t.match(decide(born(), { change: 'remove' }, alone), { events: [{ type: 'IdentityProviderRemoved' }] })
})

await t.test('a required provider is not removed', async (t) => {
  t.match(decide(inUse(REQUIRED), { change: 'remove' }), { problem: { code: 'provider_in_use' } })
  t.match(decide(inUse(REQUIRED), switchTo(OFF)), { events: [{}] })
})
