import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { signMessage } from '../../src/delivery/webhooks/message-posting.ts'

const makeSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const ID = 'msg_01m7wzr4ntenes07wrfrz07h48_7'
const BODY = '{"type":"employee.created","timestamp":"2026-11-20T15:01:40.325Z","data":{"employee_id":"emp_é🙂"}}'

/** Now, because the library refuses messages that are older than five minutes. */
const now = () => Math.floor(Date.now() / 1_000)

function verify(secret: string, message: { id?: string; at: number; body?: string; signature: string }): unknown {
  return new Webhook(secret).verify(message.body ?? BODY, {
    'webhook-id': message.id ?? ID,
    'webhook-timestamp': String(message.at),
    'webhook-signature': message.signature,
  })
}

await t.test('the signature is the one that the specification gives as an example', (t) => {
  const signature = signMessage(
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330,
    '{"test": 2432232314}',
  )
  t.equal(signature, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  t.end()
})

await t.test('a library of Standard Webhooks verifies a message, and refuses one with any part changed', (t) => {
  const [secret, other] = [makeSecret(), makeSecret()]
  const at = now()
  const signature = signMessage([secret], ID, at, BODY)
  t.strictSame(verify(secret, { at, signature }), JSON.parse(BODY))
  t.throws(() => verify(other, { at, signature }))
  t.throws(() => verify(secret, { at: at + 1, signature }))
  t.throws(() => verify(secret, { id: `${ID}1`, at, signature }))
  t.throws(() => verify(secret, { body: BODY.replace('created', 'updated'), at, signature }))
  const old = at - 3_600
  t.throws(() => verify(secret, { at: old, signature: signMessage([secret], ID, old, BODY) }), 'an old message')
  t.end()
})

await t.test('while a rotated secret overlaps, receivers with either secret verify the message', (t) => {
  const [next, previous] = [makeSecret(), makeSecret()]
  const at = now()
  const signature = signMessage([next, previous], ID, at, BODY)
  t.match(signature, /^v1,\S{44} v1,\S{44}$/)
  t.strictSame(verify(next, { at, signature }), JSON.parse(BODY))
  t.strictSame(verify(previous, { at, signature }), JSON.parse(BODY))
  t.end()
})
