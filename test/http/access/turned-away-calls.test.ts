import t from 'tap'
import { generateSecret } from '../../../src/accounts/users/new-secret.ts'
import { prefixOfSecret, whyTurnedAway } from '../../../src/domain/accounts/secrets.ts'
import { Cleanup } from '../../support/cleanup.ts'
import { send, startService } from '../../support/service.ts'
import { toUuid } from '../../../src/domain/ids.ts'

const service = await startService(t)

const [CURRENT, PREVIOUS, FORMER, WRONG] = ['c'.repeat(64), 'a'.repeat(64), 'f'.repeat(64), 'b'.repeat(64)] as const
const KEY = {
  secretHash: CURRENT,
  previous: { secretHash: PREVIOUS, expiresAtMs: 1_000 },
  isRevoked: false,
  expiresAtMs: null,
  formerSecrets: { [FORMER]: '2026-11-27T06:00:00.000Z' },
}

await t.test("a secret that was the key's tells why it did not let a call in, and any other tells nothing", (t) => {
  t.equal(whyTurnedAway(KEY, PREVIOUS, 1_000), 'former_secret')
  t.equal(whyTurnedAway(KEY, FORMER, 0), 'former_secret')
  t.equal(whyTurnedAway(KEY, WRONG, 0), null)
  const expired = { ...KEY, expiresAtMs: 500 }
  t.equal(whyTurnedAway(expired, CURRENT, 500), 'expired')
  t.equal(whyTurnedAway(expired, PREVIOUS, 500), 'expired', 'it would work still')
  t.equal(whyTurnedAway(expired, FORMER, 500), 'former_secret')
  for (const secret of [CURRENT, FORMER]) t.equal(whyTurnedAway({ ...KEY, isRevoked: true }, secret, 0), 'revoked')
  t.end()
})

/** Calls keys through a service of its own, which stores what it counted when it stops, and reads what needs attention. */
async function callAndStop(calls: { api_id: string; api_key: string }[]) {
  const cleanup = new Cleanup()
  const other = await startService(cleanup, {}, { urls: service.urls })
  const answers = []
  for (const key of calls) answers.push(await send(other.address, 'POST', '/v1/employees', { key, body: [] }))
  await cleanup.run()
  const { items } = (await service.admin('/attention')).body
  const turnedAway = (items as { kind: string }[]).filter(({ kind }) => kind === 'calls_turned_away')
  return { answers, turnedAway }
}

const issue = async (name: string) => {
  const { body } = await service.manage('POST', '/api-keys', { name })
  return { api_id: body.id as string, api_key: body.api_key as string }
}

await t.test(
  'calls with a replaced, expired or revoked secret are counted for their key, and answered as any',
  async (t) => {
    const [rotated, expired, revoked] = [await issue('Nightly sync'), await issue('Expired'), await issue('Revoked')]
    for (let at = 0; at < 2; at += 1)
      await service.manage('POST', `/api-keys/${rotated.api_id}/rotate`, { overlap_seconds: 0 })
    await service.pool.query(`update api_keys set expires_at = statement_timestamp() where api_id = $1`, [
      toUuid(expired.api_id),
    ])
    await service.manage('POST', `/api-keys/${revoked.api_id}/revoke`)
    const unknown = { ...rotated, api_key: generateSecret(prefixOfSecret('key', service.company.id)) }
    const entries = async () =>
      (await service.pool.query('select count(*) from events where company_id = $1', [toUuid(service.company.id)]))
        .rows[0].count
    const before = await entries()
    const { answers, turnedAway } = await callAndStop([rotated, rotated, rotated, expired, revoked, unknown])
    t.equal(await entries(), before, 'no entry')
    const bodies = answers.map(({ body }) => JSON.stringify({ ...body, request_id: null }))
    t.strictSame([...new Set(answers.map(({ status }) => status))], [401])
    t.equal(new Set(bodies).size, 1, 'nothing tells them apart')
    t.match(turnedAway, [
      {
        subject: { id: rotated.api_id, name: 'Nightly sync' },
        details: { reason: 'former_secret', calls: 3, address: '127.0.0.1', ended_at: String, last_at: String },
      },
      { subject: { id: expired.api_id }, details: { reason: 'expired', calls: 1, ended_at: String } },
      { subject: { id: revoked.api_id }, details: { reason: 'revoked', calls: 1, ended_at: null } },
    ])
    const again = await callAndStop([rotated])
    t.match(again.turnedAway[0], { details: { calls: 4 } }, 'added to those of another service')
  },
)
