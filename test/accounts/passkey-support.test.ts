import t from 'tap'
import { findPasskeySupport } from '../../src/accounts/passkeys/webauthn.ts'

await t.test('passkeys work at an https host and at localhost, with a key for secrets', async (t) => {
  const works: [url: string, id: string, origin: string][] = [
    ['https://ledger.example', 'ledger.example', 'https://ledger.example'],
    ['https://Ledger.example:443', 'ledger.example', 'https://ledger.example'],
    ['https://ledger.example:8443', 'ledger.example', 'https://ledger.example:8443'],
    ['http://localhost:3000', 'localhost', 'http://localhost:3000'],
    ['http://acme.localhost', 'acme.localhost', 'http://acme.localhost'],
  ]
  for (const [url, id, origin] of works) t.strictSame(findPasskeySupport(url, true), { party: { id, origin } })
})

await t.test('elsewhere there is a reason for the operator', async (t) => {
  const fails: [url: string | null, hasKey: boolean, reason: RegExp][] = [
    [null, true, /not set PUBLIC_URL/],
    ['https://ledger.example', false, /not set SECRETS_KEY/],
    ['https://192.0.2.1:8443', true, /is an IP address/],
    ['https://[2001:db8::1]', true, /is an IP address/],
    ['http://127.0.0.1:3000', true, /is an IP address/],
    ['http://ledger.example', true, /need https/],
    ['http://localhost.example', true, /need https/],
  ]
  for (const [url, hasKey, reason] of fails) t.match(findPasskeySupport(url, hasKey), { party: null, reason })
})
