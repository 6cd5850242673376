import type { Test } from 'tap'
import t from 'tap'
import { openProviderClient } from '../../../src/accounts/oidc/open-provider-client.ts'
import type { ProviderFault } from '../../../src/accounts/oidc/provider-client.ts'
import { captureLogoutToken } from '../../support/providers/captured-logout.ts'
import { followSignIn } from '../../support/providers/follow-sign-in.ts'
import type { Lies } from '../../support/providers/lying-provider.ts'
import { startLyingProvider } from '../../support/providers/lying-provider.ts'
import { signingKey } from '../../support/providers/provider-keys.ts'
import { BOX, CALLBACK, CLIENT, refusal, storedProvider } from '../../support/providers/stored-provider.ts'
import { ANA, startTestProvider } from '../../support/providers/test-provider.ts'

/* Tokens with which providers end sessions (OpenID Connect Back-Channel Logout 1.0, section 2.6). */

function openClient(t: Test) {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX })
  t.teardown(client.close)
  return client
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const now = () => Math.floor(Date.now() / 1_000)

type Claims = Record<string, unknown>
const FAULTY: [name: string, claims: Claims, lies: Lies, fault: ProviderFault, message: RegExp][] = [
  ['of another issuer', { iss: 'https://evil.example' }, {}, 'wrong_issuer', /another issuer/],
  ['for another client', { aud: 'another' }, {}, 'invalid_response', /another client/],
  ['that is expired', { iat: now() - 300, exp: now() - 120 }, {}, 'clock_skew', /"exp"/],
  ['that never ends', { exp: undefined }, {}, 'invalid_response', /"exp"/],
  ['of no time', { iat: undefined }, {}, 'invalid_response', /"iat"/],
  ['of the future', { iat: now() + 600, exp: now() + 900 }, {}, 'clock_skew', /"iat"/],
  ['of long ago', { iat: now() - 3_600 }, {}, 'clock_skew', /"iat"/],
  ['without an id', { jti: undefined }, {}, 'invalid_response', /"jti"/],
  ['whose id is no text', { jti: 5 }, {}, 'invalid_response', /"jti"/],
  ['of another party', { azp: 'another' }, {}, 'invalid_response', /another client/],
  ['with a nonce', { nonce: 'n' }, {}, 'invalid_response', /"nonce"/],
  ['without events', { events: undefined }, {}, 'invalid_response', /"events"/],
  ['of another event', { events: { other: {} } }, {}, 'invalid_response', /"events"/],
  ['whose event is no object', { events: { [EVENT]: 'yes' } }, {}, 'invalid_response', /"events"/],
  ['whose events are no object', { events: null }, {}, 'invalid_response', /"events"/],
  ['about nobody', { sub: undefined, sid: undefined }, {}, 'invalid_response', /neither a person nor a session/],
  ['about a session that cannot be', { sid: ['a'] }, {}, 'invalid_response', /not valid/],
  ['without a signature', {}, { signature: 'none' }, 'invalid_response', /algorithm/],
  ['signed with the secret', {}, { signature: 'client secret' }, 'invalid_response', /algorithm/],
  ['signed with another key', {}, { signature: 'other key' }, 'invalid_response', /signature/],
  ['that is an access token', {}, { header: { typ: 'at+jwt' } }, 'invalid_response', /"typ"/],
]

for (const [name, claims, lies, fault, message] of FAULTY) {
  await t.test(`a logout token ${name} is refused`, async (t) => {
    const idp = await startLyingProvider(t, lies)
    const provider = storedProvider({ issuer: idp.issuer })
    const token = await idp.makeLogoutToken(claims)
    await t.rejects(openClient(t).readLogoutToken(provider, token), refusal(fault, message))
  })
}

await t.test('what is no token is refused', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  for (const token of ['', 'x', '..', 'a.b.c', 'e30.e30.', 'x'.repeat(100_000), '{}', 'a.b.c.d.e'])
    await t.rejects(client.readLogoutToken(storedProvider({ issuer: idp.issuer }), token), refusal('invalid_response'))
})

await t.test('nobody is asked about a token that is not for this client', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  const [header, payload] = (await idp.makeLogoutToken()).split('.')
  idp.lies.header = { typ: 'at+jwt' }
  for (const token of [
    ...['', 'a.b.c', 'e30.e30.', `x.${payload}.x`, `e30.${payload}.x`, `${header}.${payload}`, `${header}.x.x`],
    `${header}.${payload}.x.x.x`,
    await idp.makeLogoutToken(),
  ])
    await t.rejects(client.readLogoutToken(provider, token), refusal('invalid_response'), token)
  idp.lies.header = {}
  for (const claims of [{ iss: `${idp.issuer}/` }, { iss: undefined }, { aud: 'another' }, { aud: ['another'] }])
    await t.rejects(client.readLogoutToken(provider, await idp.makeLogoutToken(claims)), { name: 'ProviderError' })
  t.strictSame(idp.requests, [])
  const token = await idp.makeLogoutToken({ aud: ['another', CLIENT.clientId] })
  t.match(await client.readLogoutToken(provider, token), { subject: 'ana' })
})

await t.test('a logout token names a session, a person, or both', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  for (const [claims, subject, providerSession] of [
    [{}, 'ana', 'session'],
    [{ sid: undefined }, 'ana', null],
    [{ sub: undefined }, null, 'session'],
  ] as const)
    t.match(await client.readLogoutToken(provider, await idp.makeLogoutToken(claims)), { subject, providerSession })
  idp.lies.header = { typ: 'logout+jwt' }
  t.match(await client.readLogoutToken(provider, await idp.makeLogoutToken()), { subject: 'ana' })
})

await t.test('a logout token says when it was issued', async (t) => {
  const idp = await startLyingProvider(t)
  const iat = now() - 300
  const token = await idp.makeLogoutToken({ iat })
  const notice = await openClient(t).readLogoutToken(storedProvider({ issuer: idp.issuer }), token)
  t.equal(Date.parse(notice.issuedAt), iat * 1_000)
})

await t.test('an ID token ends no session, and a logout token signs nobody in', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  const { url, flow } = await client.begin(provider, CALLBACK, { email: null })
  const { idToken } = await client.complete(provider, flow, await followSignIn(url))
  await t.rejects(client.readLogoutToken(provider, idToken), refusal('invalid_response'))
  idp.lies.tokens = { id_token: await idp.makeLogoutToken() }
  const again = await client.begin(provider, CALLBACK, { email: null })
  await t.rejects(client.complete(provider, again.flow, await followSignIn(again.url)), refusal('invalid_response'))
})

await t.test(
  'strangers cannot make the service ask for keys again and again, nor keep new keys from users',
  async (t) => {
    const idp = await startLyingProvider(t)
    const client = openClient(t)
    const provider = storedProvider({ issuer: idp.issuer })
    const begun = await client.begin(provider, CALLBACK, { email: null })
    const callback = await followSignIn(begun.url)
    idp.lies.signature = 'other key'
    for (let at = 0; at < 20; at += 1) {
      idp.lies.header = { kid: `made-up-${at}` }
      const token = await idp.makeLogoutToken()
      await t.rejects(client.readLogoutToken(provider, token), refusal('invalid_response'))
    }
    const asked = () => idp.requests.filter((request) => request === 'GET /jwks').length
    t.equal(asked(), 2)
    const { kty, n, e } = signingKey(1)
    Object.assign(idp.lies, { header: { kid: 'new' }, keys: { keys: [{ kty, n, e, kid: 'new' }] } })
    t.match(await client.complete(provider, begun.flow, callback), { subject: 'ana' })
    t.equal(asked(), 3)
  },
)

await t.test('the logout token of a certified provider ends the session that began there', async (t) => {
  const { backchannelLogoutUri, token } = await captureLogoutToken(t)
  const idp = await startTestProvider(t, { clients: [{ ...CLIENT, redirectUris: [CALLBACK], backchannelLogoutUri }] })
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  const { url, flow } = await client.begin(provider, CALLBACK, { email: null })
  const { providerSession } = await client.complete(provider, flow, await followSignIn(url))
  await idp.endSessions(ANA.sub)
  t.match(await client.readLogoutToken(provider, await token), { subject: ANA.sub, providerSession })
})
