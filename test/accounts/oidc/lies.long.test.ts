import { hash } from 'node:crypto'
import type { Test } from 'tap'
import t from 'tap'
import { openProviderClient } from '../../../src/accounts/oidc/open-provider-client.ts'
import type { ProviderFault } from '../../../src/accounts/oidc/provider-client.ts'
import { ProviderError } from '../../../src/accounts/oidc/provider-client.ts'
import { followSignIn } from '../../support/providers/follow-sign-in.ts'
import type { Answer, Lies } from '../../support/providers/lying-provider.ts'
import {
  ENDLESS,
  GARBAGE,
  redirectTo,
  refuse,
  SILENT,
  startLyingProvider,
} from '../../support/providers/lying-provider.ts'
import { signingKey } from '../../support/providers/provider-keys.ts'
import { BOX, CALLBACK, CLIENT, refusal, storedProvider } from '../../support/providers/stored-provider.ts'

/* Every way in which a provider can lie, and what a company's IT is told. */

const CONFIGURATION = '/.well-known/openid-configuration'
const now = () => Math.floor(Date.now() / 1_000)

interface SignInOptions {
  answerMs?: number
  roleClaim?: string | null
}

/** Signs in through a provider that tells these lies. */
async function signIn(t: Test, lies: Lies, { answerMs, roleClaim = null }: SignInOptions = {}) {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX, ...(answerMs ? { answerMs } : {}) })
  t.teardown(client.close)
  const idp = await startLyingProvider(t, lies)
  const provider = storedProvider({ issuer: idp.issuer, role_claim: roleClaim })
  const { url, flow } = await client.begin(provider, CALLBACK, { email: null })
  return client.complete(provider, flow, await followSignIn(url))
}

/** `at_hash` of an access token, for ID tokens that are signed with RS256 (OpenID Connect Core 1.0, section 3.1.3.6). */
function hashOf(accessToken: string): string {
  return hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url')
}

await t.test('without lies, the user is signed in', async (t) => {
  t.match(await signIn(t, {}), { subject: 'ana', email: 'ana@example.com', providerSession: 'session' })
  const claims = { azp: CLIENT.clientId, at_hash: hashOf('access') }
  t.match(await signIn(t, { claims }), { subject: 'ana' })
})

const LIES: [name: string, lies: Lies, fault: ProviderFault, message: RegExp, options?: SignInOptions][] = [
  [
    'another issuer in the configuration',
    { metadata: { issuer: 'https://evil.example' } },
    'wrong_issuer',
    /Issuer mismatch/,
  ],
  ['another issuer in the callback', { callback: { iss: 'https://evil.example' } }, 'wrong_issuer', /"iss"/],
  ['no issuer in the callback', { callback: { iss: undefined } }, 'wrong_issuer', /"iss"/],
  ['another issuer in the ID token', { claims: { iss: 'https://evil.example' } }, 'wrong_issuer', /another issuer/],
  ['another audience', { claims: { aud: 'another' } }, 'invalid_response', /another client/],
  ['more audiences', { claims: { aud: [CLIENT.clientId, 'another'] } }, 'invalid_response', /another client/],
  ['another party', { claims: { aud: [CLIENT.clientId, 'b'], azp: 'b' } }, 'invalid_response', /another client/],
  ['another party of one audience', { claims: { azp: 'b' } }, 'invalid_response', /another client/],
  ['a party that is no text', { claims: { azp: [CLIENT.clientId] } }, 'invalid_response', /another client/],
  ['another access token', { claims: { at_hash: hashOf('other') } }, 'invalid_response', /"at_hash"/],
  ['a hash that is no text', { claims: { at_hash: 5 } }, 'invalid_response', /"at_hash"/],
  ['another nonce', { claims: { nonce: 'replayed' } }, 'invalid_response', /another sign-in/],
  ['no nonce', { claims: { nonce: undefined } }, 'invalid_response', /nonce/],
  ['no subject', { claims: { sub: undefined } }, 'invalid_response', /"sub"/],
  ['an endless subject', { claims: { sub: 'x'.repeat(256) } }, 'invalid_response', /subject/],
  ['a subject that cannot be stored', { claims: { sub: 'a\0' } }, 'invalid_response', /subject/],
  ['an expired token', { claims: { exp: now() - 120 } }, 'clock_skew', /"exp"/],
  ['a token without an end', { claims: { exp: undefined } }, 'invalid_response', /"exp"/],
  ['a token of the future', { claims: { iat: now() + 600, exp: now() + 900 } }, 'clock_skew', /"iat"/],
  ['a token not valid yet', { claims: { nbf: now() + 600 } }, 'clock_skew', /"nbf"/],
  ['an old token', { claims: { iat: now() - 3_600 } }, 'clock_skew', /"iat"/],
  ['a token without a signature', { signature: 'none' }, 'invalid_response', /./],
  [
    'a token without a signature, as announced',
    { signature: 'none', metadata: { id_token_signing_alg_values_supported: ['none', 'RS256'] } },
    'invalid_response',
    /not signed with an algorithm/,
  ],
  [
    'a token signed with the secret, as announced',
    { signature: 'client secret', metadata: { id_token_signing_alg_values_supported: ['HS256'] } },
    'invalid_response',
    /not signed with an algorithm/,
  ],
  ['a wrong signature', { signature: 'other key' }, 'invalid_response', /signature is wrong/],
  ['an unknown key', { signature: 'other key', header: { kid: 'x' } }, 'invalid_response', /does not publish/],
  ['a critical header', { header: { crit: ['x'], x: 1 } }, 'invalid_response', /./],
  ['no ID token', { tokens: { id_token: undefined } }, 'invalid_response', /id_token/],
  ['a text for an ID token', { tokens: { id_token: 'a.b.c' } }, 'invalid_response', /./],
  [
    'the claims of another person',
    { claims: { email: undefined }, userInfo: { sub: 'bob', email: 'boss@example.com', email_verified: true } },
    'invalid_response',
    /another person/,
  ],
  [
    'too many groups',
    { claims: { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, userInfo: {} },
    'misconfigured',
    /too many values/,
    { roleClaim: 'groups' },
  ],
  [
    'more groups than are read',
    { claims: { groups: [...Array.from({ length: 1_000 }, (_, at) => `group-${at}`), 'admins'] } },
    'misconfigured',
    /more than 1000 values/,
    { roleClaim: 'groups' },
  ],
  ['another state', { callback: { state: 'x' } }, 'invalid_response', /"state"/],
  ['no code', { callback: { code: undefined } }, 'invalid_response', /code/],
  ['a failure', { callback: { error: 'server_error' } }, 'unreachable', /server_error/],
  ['a refusal of the client', { callback: { error: 'unauthorized_client' } }, 'misconfigured', /unauthorized_client/],
  ['a refusal in words of its own', { callback: { error: 'not_today' } }, 'denied', /not_today/],
  ['an http address', { metadata: { token_endpoint: 'ftp://127.0.0.1/' } }, 'misconfigured', /https/],
  ['a link-local address', { metadata: { jwks_uri: 'http://169.254.169.254/jwks' } }, 'misconfigured', /link-local/],
  ['an address that is none', { metadata: { authorization_endpoint: 5 } }, 'misconfigured', /authorization_endpoint/],
  ['no address for tokens', { metadata: { token_endpoint: undefined } }, 'misconfigured', /token_endpoint/],
  ['no keys', { keys: { keys: [] } }, 'misconfigured', /1 to 100 keys/],
  ['too many keys', { keys: { keys: Array.from({ length: 101 }, () => ({ kty: 'RSA' })) } }, 'misconfigured', /keys/],
  ['a key set that is none', { keys: 'none' }, 'misconfigured', /keys/],
  [
    'an unknown client authentication',
    { metadata: { token_endpoint_auth_methods_supported: ['tls_client_auth'] } },
    'misconfigured',
    /client_secret_basic or client_secret_post/,
  ],
]

for (const [name, lies, fault, message, options] of LIES) {
  await t.test(`a provider that answers with ${name} signs nobody in`, async (t) => {
    await t.rejects(signIn(t, lies, options), refusal(fault, message))
  })
}

await t.test('an address that nobody can use is found by the check of the provider, not by its users', async (t) => {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX })
  t.teardown(client.close)
  const names = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri', 'end_session_endpoint']
  for (const name of names)
    for (const address of ['', 'nonsense', '/auth', 'https://', 'javascript:alert(1)', 'ftp://127.0.0.1/']) {
      const provider = storedProvider({
        issuer: (await startLyingProvider(t, { metadata: { [name]: address } })).issuer,
      })
      const expected = refusal('misconfigured', new RegExp(`${name}|https`))
      await t.rejects(client.check(provider), expected, `${name}: ${address}`)
      await t.rejects(client.begin(provider, CALLBACK, { email: null }), expected, `${name}: ${address}`)
    }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    const idp = await startLyingProvider(t, { metadata: { [name]: undefined } })
    await t.rejects(client.check(storedProvider({ issuer: idp.issuer })), refusal('misconfigured', new RegExp(name)))
  }
})

const PATHS = [CONFIGURATION, '/jwks', '/token', '/userinfo']

for (const path of PATHS) {
  await t.test(
    `an answer of ${path} that is endless, silent, a redirect, an error or garbage is cut off`,
    async (t) => {
      // Without an email, userinfo is asked.
      const lies = { claims: { email: undefined } }
      const answers = [
        [ENDLESS, 'invalid_response', /exceeded 256 KiB/],
        [SILENT, 'unreachable', /did not answer within 0.3 seconds/],
        [redirectTo('http://169.254.169.254/latest/meta-data'), 'invalid_response', /redirects are not followed/],
        [refuse(503), 'unreachable', /503/],
        [refuse(404), 'misconfigured', /404/],
        [GARBAGE, path === '/jwks' ? 'misconfigured' : 'invalid_response', /JSON/],
      ] as const
      for (const [answer, fault, message] of answers) {
        const options = answer === SILENT ? { answerMs: 300 } : {}
        await t.rejects(signIn(t, { ...lies, answers: { [path]: answer } }, options), refusal(fault, message))
      }
    },
  )
}

await t.test('a provider that repeats the secret, the code or a token is not quoted', async (t) => {
  const echo = refuse(400, { error: 'invalid_client', error_description: `wrong: ${CLIENT.secret}` })
  const error = await signIn(t, { answers: { '/token': echo } }).catch((fault: unknown) => fault)
  if (!(error instanceof ProviderError)) throw error
  t.equal(error.fault, 'client_refused')
  t.notMatch(error.message, CLIENT.secret)
  t.equal(error.cause, undefined)
  const long = refuse(400, { error: 'invalid_client', error_description: `<b>\u0007\n${'x'.repeat(9_000)}` })
  const quoted = await signIn(t, { answers: { '/token': long } }).catch((fault: unknown) => fault as Error)
  t.match(quoted, { message: /: <b> x{290}/ })
  t.ok((quoted as Error).message.length < 500)
})

await t.test('a client that the provider does not know is told so, however the provider says it', async (t) => {
  const saying = (status: number, body: object, headers = {}): Answer =>
    function answer(response) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    }
  for (const answer of [
    saying(401, {}),
    saying(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic realm="x"' }),
    saying(400, { error: 'unauthorized_client' }),
  ])
    await t.rejects(signIn(t, { answers: { '/token': answer } }), refusal('client_refused'))
})

await t.test('an email is verified only if the same answer says so', async (t) => {
  const userInfo = { email: 'boss@example.com', email_verified: true, groups: ['admins'] }
  const unverified = { email: 'ana@example.com', email_verified: undefined }
  const options = { roleClaim: 'groups' }
  t.match(await signIn(t, { claims: unverified, userInfo }, options), {
    email: null,
    claimedEmail: 'ana@example.com',
    roleValues: ['admins'],
  })
  for (const word of ['false', 'yes', 1, {}])
    t.match(await signIn(t, { claims: { email_verified: word } }), { email: null, claimedEmail: 'ana@example.com' })
})

await t.test('an ID token that says "verified" of no email says nothing about that of userinfo', async (t) => {
  const claims = { email: undefined, email_verified: true }
  const boss = { email: 'boss@example.com' }
  for (const userInfo of [boss, { ...boss, email_verified: false }])
    t.match(await signIn(t, { claims, userInfo }), { email: null, claimedEmail: 'boss@example.com' })
  const verified = { ...boss, email_verified: true }
  t.match(await signIn(t, { claims: { ...claims, email_verified: false }, userInfo: verified }), { ...boss })
})

await t.test('an email that no user can have is reported as claimed alone', async (t) => {
  for (const email of [
    'ana',
    'ana@example',
    ' ana@example.com',
    'ana@example.com, boss@example.com',
    'a\u200b@b.example',
  ])
    t.match(await signIn(t, { claims: { email } }), { email: null, claimedEmail: email })
  const long = `${'a'.repeat(250)}@example.com`
  t.match(await signIn(t, { claims: { email: long } }), { email: null, claimedEmail: long })
  t.match(await signIn(t, { claims: { email: 'x'.repeat(9_000) } }), { email: null, claimedEmail: null })
  for (const email of ['\uff41na@example.com', 'ana\uff20example.com', '\u212Ana@example.com'])
    t.match(await signIn(t, { claims: { email } }), { email: null, claimedEmail: email, isEmailVerified: true })
  t.match(await signIn(t, { claims: { email: 'Ana@Example.COM' } }), { email: 'ana@example.com' })
})

await t.test('a token that names no key is checked with each of them', async (t) => {
  const publish = (...generations: number[]) => ({
    keys: generations.map(signingKey).map(({ kty, n, e }) => ({ kty, n, e })),
  })
  const header = { kid: undefined }
  t.match(await signIn(t, { header, keys: publish(1, 0) }), { subject: 'ana' })
  await t.rejects(signIn(t, { header, keys: publish(1, 2) }), refusal('invalid_response', /signature is wrong/))
})

await t.test('a private key that a provider publishes by mistake is not used as one', async (t) => {
  t.match(await signIn(t, { keys: { keys: [signingKey(0)] } }), { subject: 'ana' })
})

await t.test('role values are texts, one or many', async (t) => {
  const read = async (groups: unknown) => (await signIn(t, { claims: { groups } }, { roleClaim: 'groups' })).roleValues
  t.strictSame(await read('hr'), ['hr'])
  t.strictSame(await read(['hr', 5, null, 'it']), ['hr', 'it'])
  t.strictSame(await read({ hr: true }), [])
  t.strictSame(await read(undefined), [])
})

await t.test('the scope of the role claim is asked for if the provider has it', async (t) => {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX })
  t.teardown(client.close)
  for (const [supported, scope] of [
    [undefined, 'openid email profile'],
    [['openid', 'groups'], 'openid email profile groups'],
  ] as const) {
    const idp = await startLyingProvider(t, { metadata: { scopes_supported: supported } })
    const provider = storedProvider({ issuer: idp.issuer, role_claim: 'groups' })
    const { url } = await client.begin(provider, CALLBACK, { email: null })
    t.equal(new URL(url).searchParams.get('scope'), scope)
  }
})

await t.test('the secret is sent as the provider announces it, basic first', async (t) => {
  const methods = [undefined, ['client_secret_post'], ['client_secret_post', 'client_secret_basic']]
  for (const supported of methods) {
    const client = openProviderClient({ allowPrivate: true, secrets: BOX })
    t.teardown(client.close)
    const idp = await startLyingProvider(t, { metadata: { token_endpoint_auth_methods_supported: supported } })
    const provider = storedProvider({ issuer: idp.issuer })
    const { url, flow } = await client.begin(provider, CALLBACK, { email: null })
    await client.complete(provider, flow, await followSignIn(url))
    const [{ authorization, form }] = idp.redeemed as [(typeof idp.redeemed)[0]]
    const isPost = supported?.length === 1
    t.equal(authorization === undefined, isPost)
    t.equal(form.get('client_secret'), isPost ? CLIENT.secret : null)
    t.ok(form.get('code_verifier'))
  }
})

await t.test('only https and public addresses are reached, unless private ones are allowed', async (t) => {
  const client = openProviderClient({ allowPrivate: false, secrets: BOX })
  t.teardown(client.close)
  const idp = await startLyingProvider(t)
  for (const [issuer, message] of [
    [idp.issuer, /https/],
    [idp.issuer.replace('http:', 'https:'), /not public/],
    ['https://169.254.169.254', /not public/],
    ['https://[::1]', /not public/],
  ] as const)
    await t.rejects(
      client.begin(storedProvider({ issuer }), CALLBACK, { email: null }),
      refusal('misconfigured', message),
    )
  t.strictSame(idp.requests, [])
})
