import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { WebhookChange, WebhookEvent, WebhookLife } from '../../../src/domain/webhooks/webhook-lifecycle.ts'
import { decideWebhook, decideWebhookChange, evolveWebhook } from '../../../src/domain/webhooks/webhook-lifecycle.ts'
import type { WebhookSettings } from '../../../src/domain/webhook-types.ts'

const ID = 'whk_01h455vb4pex5vsknk084sn02q'
const NOW = '2026-11-20T12:00:00.000Z'
const SETTINGS: WebhookSettings = {
  url: 'https://example.com/a',
  description: 'a',
  types: ['employee.created'],
  include_data: false,
  concurrency: 4,
}
const POSITION = 7

const born = (): WebhookLife => {
  const unborn = { id: ID, version: 0, settings: SETTINGS, status: 'enabled', disabledReason: null } as const
  return evolveWebhook(unborn, decideWebhook(ID, SETTINGS))
}
const decide = (webhook: WebhookLife, change: WebhookChange): WebhookEvent[] =>
  decideWebhookChange(webhook, change, { now: NOW, position: POSITION, isFailing: false })
const after = (webhook: WebhookLife, ...changes: WebhookChange[]) =>
  changes.reduce((life, change) => decide(life, change).reduce(evolveWebhook, life), webhook)

const anySettings = fc.record(
  {
    url: fc.constantFrom('https://example.com/a', 'https://example.com/b'),
    types: fc.constantFrom<WebhookSettings['types']>(['employee.created'], ['employee.created', 'employee.updated']),
    include_data: fc.boolean(),
    concurrency: fc.constantFrom(1, 4),
  },
  { requiredKeys: [] },
)
const anyChange: fc.Arbitrary<WebhookChange> = fc.oneof(
  anySettings.map((settings) => ({ change: 'edit' as const, settings })),
  fc.nat({ max: 100 }).map((overlapSeconds) => ({ change: 'rotate' as const, overlapSeconds })),
  fc.constantFrom<WebhookChange>(
    { change: 'pause' },
    { change: 'resume' },
    { change: 'resume', position: 3 },
    { change: 'disable', reason: 'gone' },
    { change: 'disable', reason: 'failing' },
  ),
)

await t.test('after any history the versions of the stream are 1, 2, 3 …', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), (changes) => {
      let webhook = born()
      for (const change of changes) {
        for (const event of decide(webhook, change)) {
          assert.equal(event.version, webhook.version + 1)
          webhook = evolveWebhook(webhook, event)
        }
      }
    }),
  )
})

await t.test('a change to the current state gives no event; a rotation and a replay always do', async () => {
  fc.assert(
    fc.property(fc.array(anyChange), anyChange, (changes, change) => {
      const webhook = after(after(born(), ...changes), change)
      const isAlways = change.change === 'rotate' || (change.change === 'resume' && change.position !== undefined)
      assert.equal(decide(webhook, change).length, isAlways ? 1 : 0)
    }),
  )
})

await t.test('an edit names the settings that differ, before and after', async (t) => {
  const [event] = decide(born(), { change: 'edit', settings: { url: 'https://example.com/b', concurrency: 4 } })
  t.match(event, {
    type: 'WebhookChanged',
    data: { from: { url: 'https://example.com/a' }, to: { url: 'https://example.com/b' } },
  })
  t.notMatch(JSON.stringify(event), 'concurrency')
})

await t.test('a paused webhook is not disabled by a failure that was under way', async (t) => {
  t.strictSame(decide(after(born(), { change: 'pause' }), { change: 'disable', reason: 'gone' }), [])
})

await t.test('resuming goes on at the checkpoint, or after the position that is asked for', async (t) => {
  const disabled = after(born(), { change: 'disable', reason: 'failing' })
  t.match(disabled, { status: 'disabled', disabledReason: 'failing' })
  t.match(decide(disabled, { change: 'resume' }), [{ type: 'WebhookResumed', data: { position: POSITION } }])
  t.match(decide(disabled, { change: 'resume', position: 0 }), [{ type: 'WebhookResumed', data: { position: 0 } }])
  t.match(after(disabled, { change: 'resume' }), { status: 'enabled', disabledReason: null })
})

await t.test('resuming a webhook that is failing makes its next attempt due at once', async (t) => {
  const events = decideWebhookChange(born(), { change: 'resume' }, { now: NOW, position: POSITION, isFailing: true })
  t.match(events, [{ type: 'WebhookResumed', data: { position: POSITION } }])
})
