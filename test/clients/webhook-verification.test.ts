import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/employee-ledger-client.ts'

/* Messages are signed as the package of Standard Webhooks signs them. */

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(24, 2).toString('base64')}`
const MESSAGE = { type: 'employee.created', timestamp: '2026-11-22T12:00:00.000Z', data: { employee_id: 'emp_1' } }
const PAYLOAD = JSON.stringify(MESSAGE)

function signed(payload: string, { secret = SECRET, ageS = 0 } = {}) {
  const at = new Date(Date.now() - 1_000 * ageS)
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, payload),
  }
}

await t.test('a signed message is returned, whatever the form of its payload and headers', (t) => {
  const headers = signed(PAYLOAD)
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  for (const form of [headers, capitals, new Headers(headers), { ...headers, accept: ['a', 'b'], cookie: undefined }])
    t.strictSame(verifyWebhook(PAYLOAD, form, SECRET), MESSAGE)
  t.strictSame(verifyWebhook(Buffer.from(PAYLOAD), headers, SECRET), MESSAGE)
  t.strictSame(verifyWebhook(new TextEncoder().encode(PAYLOAD), headers, SECRET), MESSAGE)
  t.end()
})

await t.test('while a secret is rotated, either one verifies, on either side', (t) => {
  t.strictSame(verifyWebhook(PAYLOAD, signed(PAYLOAD), [OTHER, SECRET]), MESSAGE)
  const [first, second] = [signed(PAYLOAD, { secret: OTHER }), signed(PAYLOAD)]
  const signature = `${first['webhook-signature']} ${second['webhook-signature']}`
  t.strictSame(verifyWebhook(PAYLOAD, { ...first, 'webhook-signature': signature }, SECRET), MESSAGE)
  t.end()
})

await t.test('anything else is refused with one class of error', (t) => {
  const headers = signed(PAYLOAD)
  const refused = (payload: string, given: Record<string, string>, secrets: string | string[] = SECRET) => {
    t.throws(() => verifyWebhook(payload, given, secrets), WebhookVerificationError)
  }
  refused(PAYLOAD.replace('emp_1', 'emp_2'), headers)
  refused(PAYLOAD, headers, OTHER)
  refused(PAYLOAD, headers, [OTHER, OTHER])
  refused(PAYLOAD, { ...headers, 'webhook-id': 'msg_2' })
  refused(PAYLOAD, signed(PAYLOAD, { ageS: 3_600 }))
  refused(PAYLOAD, signed(PAYLOAD, { ageS: -3_600 }))
  refused(PAYLOAD, {})
  for (const name of Object.keys(headers)) refused(PAYLOAD, { ...headers, [name]: '' })
  for (const signature of ['v1', 'v1,', 'v2,abc', ' , ', 'é'])
    refused(PAYLOAD, { ...headers, 'webhook-signature': signature })
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '"text"',
    '{"type":"employee.created"}',
    '{"type":1,"timestamp":"","data":{}}',
  ])
    refused(text, signed(text))
  t.end()
})

await t.test('a faulty secret is an error of the program, and not of the message', (t) => {
  for (const secrets of ['', 'whsec_', 'whsec_*', []]) {
    const verify = () => verifyWebhook(PAYLOAD, signed(PAYLOAD), secrets)
    t.throws(verify)
    try {
      verify()
    } catch (error) {
      t.notOk(error instanceof WebhookVerificationError)
    }
  }
  t.end()
})
