import type { Test } from 'tap'
import t from 'tap'
import { generateProviderKey, readPublicKeys } from '../../../src/accounts/providers/providers.ts'
import { openProviderClient } from '../../../src/accounts/oidc/open-provider-client.ts'
import { followSignIn } from '../../support/providers/follow-sign-in.ts'
import { BOX, CALLBACK, CLIENT, refusal, storedProvider } from '../../support/providers/stored-provider.ts'
import type { TestClient } from '../../support/providers/test-provider.ts'
import { ANA, startTestProvider } from '../../support/providers/test-provider.ts'

/* Signing in through a certified provider. */

const NO_HINT = { email: null }

function openClient(t: Test) {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX })
  t.teardown(client.close)
  return client
}

/** A client and a provider that knows it. */
async function start(t: Test, options: Parameters<typeof startTestProvider>[1] = {}) {
  const idp = await startTestProvider(t, { clients: [{ ...CLIENT, redirectUris: [CALLBACK] }], ...options })
  return { idp, client: openClient(t), provider: storedProvider({ issuer: idp.issuer }) }
}

const WAYS: [name: string, client: Partial<TestClient>][] = [
  ['a client secret (basic)', { secretMethod: 'client_secret_basic' }],
  ['a client secret (post)', { secretMethod: 'client_secret_post' }],
]

for (const [name, way] of WAYS) {
  await t.test(`a user signs in, and the client proves itself with ${name}`, async (t) => {
    const idp = await startTestProvider(t, {
      clients: [{ ...CLIENT, redirectUris: [CALLBACK], backchannelLogoutUri: `${CALLBACK}/logout`, ...way }],
      clientAuthMethods: [way.secretMethod!],
    })
    const client = openClient(t)
    const provider = storedProvider({ issuer: idp.issuer })
    const { url, flow } = await client.begin(provider, CALLBACK, { email: 'ana@example.com' })
    const { searchParams } = new URL(url)
    t.match(Object.fromEntries(searchParams), {
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      login_hint: 'ana@example.com',
      redirect_uri: CALLBACK,
    })
    const identity = await client.complete(provider, flow, await followSignIn(url))
    t.match(identity, {
      issuer: idp.issuer,
      subject: ANA.sub,
      email: ANA.email,
      claimedEmail: ANA.email,
      name: ANA.name,
      roleValues: [],
    })
    t.ok(identity.providerSession, 'the session at the provider is known')
  })
}

await t.test('a user signs in, and the client proves itself with a key of its own', async (t) => {
  const secret = await generateProviderKey()
  const { idp, client } = await start(t)
  const provider = storedProvider({ issuer: idp.issuer, client_auth: 'private_key_jwt' }, { secret })
  const jwks = readPublicKeys(BOX, provider) as NonNullable<TestClient['jwks']>
  idp.addClient({ clientId: CLIENT.clientId, jwks, redirectUris: [CALLBACK] })
  t.notMatch(JSON.stringify(jwks), JSON.parse(secret).d)
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  t.match(await client.complete(provider, flow, await followSignIn(url)), { subject: ANA.sub })
  const other = storedProvider(
    { issuer: idp.issuer, client_auth: 'private_key_jwt' },
    { secret: await generateProviderKey() },
  )
  const begun = await client.begin(other, CALLBACK, NO_HINT)
  await t.rejects(client.complete(other, begun.flow, await followSignIn(begun.url)), refusal('client_refused'))
})

await t.test('claims that the ID token lacks come from userinfo', async (t) => {
  const { idp, client } = await start(t, {
    claimsIn: 'userinfo',
    accounts: [{ ...ANA, groups: ['hr', 'admins'] }],
  })
  const provider = storedProvider({ issuer: idp.issuer, role_claim: 'groups' })
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  t.match(await client.complete(provider, flow, await followSignIn(url)), {
    email: ANA.email,
    roleValues: ['hr', 'admins'],
  })
  t.equal(idp.requests.at(-1), 'GET /me')
})

await t.test('an email that is not verified is reported as claimed alone', async (t) => {
  for (const account of [
    { ...ANA, email_verified: false },
    { sub: ANA.sub, email: 'Ana@Example.com' },
  ]) {
    const { client, provider } = await start(t, { accounts: [account] })
    const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
    const identity = await client.complete(provider, flow, await followSignIn(url))
    t.match(identity, { subject: ANA.sub, email: null, claimedEmail: account.email })
  }
})

await t.test('new keys of the provider count at once, and withdrawn ones are fetched once', async (t) => {
  const { idp, client, provider } = await start(t)
  for (const rotates of [false, true]) {
    if (rotates) idp.rotateKeys()
    const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
    t.match(await client.complete(provider, flow, await followSignIn(url)), { subject: ANA.sub })
  }
  t.equal(idp.requests.filter((request) => request === 'GET /jwks').length, 2)
  t.equal(idp.requests.filter((request) => request.includes('.well-known')).length, 1)
})

await t.test("a provider's clock may be wrong by half a minute, and not by hours", async (t) => {
  const { idp, client, provider } = await start(t)
  for (const [skew, works] of [
    [-30, true],
    [30, true],
    [-7_200, false],
    [7_200, false],
  ] as const) {
    idp.skewSeconds = skew
    const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
    const completed = client.complete(provider, flow, await followSignIn(url))
    if (works) t.match(await completed, { subject: ANA.sub })
    else await t.rejects(completed, refusal('clock_skew', /clock or ours/))
  }
})

await t.test('a code is redeemed once, and only by the sign-in that it was issued to', async (t) => {
  const { client, provider } = await start(t)
  const first = await client.begin(provider, CALLBACK, NO_HINT)
  const callback = await followSignIn(first.url)
  t.match(await client.complete(provider, first.flow, callback), { subject: ANA.sub })
  await t.rejects(client.complete(provider, first.flow, callback), refusal('invalid_response', /used already/))

  const own = await client.begin(provider, CALLBACK, NO_HINT)
  const stolen = new URL(await followSignIn((await client.begin(provider, CALLBACK, NO_HINT)).url))
  await t.rejects(client.complete(provider, own.flow, stolen.href), refusal('invalid_response', /"state"/))
  // Injected into the attacker's own sign-in, it fails by PKCE.
  const injected = new URL(await followSignIn(own.url))
  injected.searchParams.set('code', stolen.searchParams.get('code')!)
  await t.rejects(client.complete(provider, own.flow, injected.href), refusal('invalid_response'))
})

await t.test('the answer of another provider is refused before its code is redeemed', async (t) => {
  const { idp, client, provider } = await start(t)
  const other = await start(t)
  const { flow } = await client.begin(provider, CALLBACK, NO_HINT)
  const { url } = await client.begin(other.provider, CALLBACK, NO_HINT)
  const mixed = new URL(await followSignIn(url))
  mixed.searchParams.set('state', flow.state)
  await t.rejects(client.complete(provider, flow, mixed.href), refusal('wrong_issuer'))
  mixed.searchParams.delete('iss')
  await t.rejects(client.complete(provider, flow, mixed.href), refusal('wrong_issuer'))
  t.notOk(idp.requests.includes('POST /token'))
  t.notOk(other.idp.requests.includes('POST /token'))
})

await t.test('a sign-in that began at another company, or before the settings changed, is refused', async (t) => {
  const { client, provider } = await start(t)
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  const callback = await followSignIn(url)
  await t.rejects(client.complete({ ...provider, version: 2 }, flow, callback), refusal('outdated'))
  const foreign = { ...flow, companyId: 'cmp_other' }
  await t.rejects(client.complete(provider, foreign, callback), refusal('invalid_response', /another company/))
})

await t.test('a sign-in that began at the former provider goes to neither, nor does any secret', async (t) => {
  const { idp, client, provider } = await start(t)
  const other = await start(t)
  const successor = storedProvider({ issuer: other.idp.issuer }, { companyId: provider.companyId })
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  const callback = await followSignIn(url)
  await t.rejects(client.complete(successor, flow, callback), refusal('outdated'))
  // Settings that changed without their version, as after a restore.
  const restored = { ...provider, settings: successor.settings }
  await t.rejects(client.complete(restored, flow, callback), refusal('wrong_issuer'))
  t.notOk(idp.requests.includes('POST /token'))
  t.notOk(other.idp.requests.includes('POST /token'))
  const begun = await client.begin(successor, CALLBACK, NO_HINT)
  t.equal(new URL(begun.url).origin, other.idp.issuer)
  t.match(await client.complete(successor, begun.flow, await followSignIn(begun.url)), { issuer: other.idp.issuer })
})

await t.test('a refusal by the provider says why, and repeats no secret', async (t) => {
  const { idp, client, provider } = await start(t)
  idp.signsIn = 'nobody'
  const denied = await client.begin(provider, CALLBACK, NO_HINT)
  await t.rejects(client.complete(provider, denied.flow, await followSignIn(denied.url)), {
    fault: 'denied',
    message: 'The provider ended the sign-in with "access_denied": The person did not sign in',
  })
  idp.signsIn = ANA.sub
  const wrong = storedProvider({ issuer: idp.issuer }, { secret: 'a wrong secret' })
  const { url, flow } = await client.begin(wrong, CALLBACK, NO_HINT)
  const error = await client.complete(wrong, flow, await followSignIn(url)).catch((fault: unknown) => fault as Error)
  t.match(error, { name: 'ProviderError', fault: 'client_refused' })
  t.notMatch(JSON.stringify(error) + String((error as Error).stack), 'a wrong secret')
})

await t.test('a user signs out at the provider too, and comes back', async (t) => {
  const returnTo = 'https://ledger.example/sign-in'
  const { client, provider } = await start(t, {
    clients: [{ ...CLIENT, redirectUris: [CALLBACK], postLogoutRedirectUris: [returnTo] }],
  })
  const jar = new Map<string, string>()
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  const { idToken } = await client.complete(provider, flow, await followSignIn(url, jar))
  const out = new URL((await client.findLogoutUrl(provider, idToken, returnTo))!)
  t.match(Object.fromEntries(out.searchParams), { id_token_hint: idToken, post_logout_redirect_uri: returnTo })
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const page = await fetch(out, { headers: { cookie } })
  t.equal(page.status, 200)
  t.match(await page.text(), 'op.logoutForm')
  const long = new URL((await client.findLogoutUrl(provider, idToken.repeat(9), returnTo))!)
  t.notOk(long.searchParams.has('id_token_hint'), 'a hint that makes an address too long is left out')
})

await t.test('a check shows what the provider publishes', async (t) => {
  const { client, provider } = await start(t)
  const lines = await client.check(provider)
  for (const line of [
    'Signs with: RS256',
    'The service proves itself by: client_secret_basic',
    'PKCE with S256: announced',
    'Signing out there: yes',
    'Ends sessions here when one ends there (back-channel logout): yes',
  ])
    t.ok(lines.includes(line), line)
})
