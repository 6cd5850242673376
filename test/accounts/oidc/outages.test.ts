import type { CustomFetch } from 'openid-client'
import type { Test } from 'tap'
import t from 'tap'
import { createBudget } from '../../../src/admission/budget.ts'
import { discoverProvider } from '../../../src/accounts/oidc/discover-provider.ts'
import { openProviderClient } from '../../../src/accounts/oidc/open-provider-client.ts'
import { openProviderFetch } from '../../../src/accounts/oidc/provider-fetch.ts'
import { openOutgoing } from '../../../src/outgoing/connections.ts'
import { eventually } from '../../support/eventually.ts'
import { followSignIn } from '../../support/providers/follow-sign-in.ts'
import type { Answer, LyingProvider } from '../../support/providers/lying-provider.ts'
import { refuse, startLyingProvider } from '../../support/providers/lying-provider.ts'
import { BOX, CALLBACK, CLIENT, refusal, storedProvider } from '../../support/providers/stored-provider.ts'
import { ANA, startTestProvider } from '../../support/providers/test-provider.ts'

/* Providers that are down or slow, and what the service asks of all of them. */

const CONFIGURATION = '/.well-known/openid-configuration'
const NO_HINT = { email: null }
/** After which a failed discovery is tried again. */
const RETRY_MS = 5_000

function openClient(t: Test, now?: () => number) {
  const client = openProviderClient({ allowPrivate: true, secrets: BOX, ...(now ? { now } : {}) })
  t.teardown(client.close)
  return client
}

const count = (idp: Pick<LyingProvider, 'requests'>, path: string) =>
  idp.requests.filter((request) => request === `GET ${path}`).length

/** Holds answers until the test goes on. */
function hold(idp: LyingProvider, path: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held: Answer = async (response, request) => {
    await promise
    idp.lies.answers = {}
    await fetch(`${idp.issuer}${request.url}`)
      .then((answer) => answer.text())
      .then((text) => response.setHeader('content-type', 'application/json').end(text))
  }
  idp.lies.answers = { [path]: held }
  return resolve
}

await t.test('a provider that is down signs nobody in, and works again once it is up', async (t) => {
  const idp = await startTestProvider(t, { clients: [{ ...CLIENT, redirectUris: [CALLBACK] }] })
  let time = 0
  const client = openClient(t, () => time)
  const provider = storedProvider({ issuer: idp.issuer })
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  const callback = await followSignIn(url)
  await idp.stop()
  await t.rejects(client.complete(provider, flow, callback), refusal('unreachable', /connection was refused/))
  await t.rejects(client.begin({ ...provider, version: 2 }, CALLBACK, NO_HINT), refusal('unreachable'))
  await idp.resume()
  time += RETRY_MS
  const again = await client.begin({ ...provider, version: 2 }, CALLBACK, NO_HINT)
  const back = await followSignIn(again.url)
  t.match(await client.complete({ ...provider, version: 2 }, again.flow, back), { subject: ANA.sub })
})

await t.test('what a provider publishes is fetched once, also by sign-ins at the same time', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  const begin = (version = 1) => client.begin({ ...provider, version }, CALLBACK, NO_HINT)
  await Promise.all([begin(), begin(), begin()])
  await begin()
  t.strictSame([count(idp, CONFIGURATION), count(idp, '/jwks')], [1, 1])
  await begin(2)
  t.strictSame([count(idp, CONFIGURATION), count(idp, '/jwks')], [2, 2], 'new settings start from the beginning')
  await client.check({ ...provider, version: 2 })
  t.strictSame([count(idp, CONFIGURATION), count(idp, '/jwks')], [3, 3], 'a check asks again')
})

await t.test('a provider that speaks no TLS is unreachable', async (t) => {
  const idp = await startLyingProvider(t)
  const checked = openClient(t).check(storedProvider({ issuer: idp.issuer.replace('http:', 'https:') }))
  await t.rejects(checked, refusal('unreachable', /does not speak TLS/))
})

await t.test('a failed discovery is tried again after a few seconds, whatever strangers send', async (t) => {
  const idp = await startLyingProvider(t, { answers: { [CONFIGURATION]: refuse(503) } })
  let time = 0
  const client = openClient(t, () => time)
  const provider = storedProvider({ issuer: idp.issuer })
  await t.rejects(client.begin(provider, CALLBACK, NO_HINT), refusal('unreachable', /503/))
  idp.lies.signature = 'other key'
  const token = await idp.makeLogoutToken()
  for (let at = 0; at < 10; at += 1)
    await t.rejects(client.readLogoutToken(provider, token), refusal('unreachable', /503/))
  t.equal(count(idp, CONFIGURATION), 1)
  idp.lies.answers = {}
  t.ok(await client.check(provider), 'a check asks all the same')
  time += RETRY_MS
  t.ok(await client.begin(provider, CALLBACK, NO_HINT))
})

await t.test('a code is sent once, also if the connection breaks', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  const provider = storedProvider({ issuer: idp.issuer })
  const { url, flow } = await client.begin(provider, CALLBACK, NO_HINT)
  idp.lies.answers = { '/token': (response) => response.destroy() }
  const completed = client.complete(provider, flow, await followSignIn(url))
  await t.rejects(completed, refusal('unreachable', /closed before the answer ended/))
  t.equal(idp.requests.filter((request) => request === 'POST /token').length, 1)
  idp.lies.answers = {}
  const again = await client.begin(provider, CALLBACK, NO_HINT)
  t.match(await client.complete(provider, again.flow, await followSignIn(again.url)), { subject: 'ana' })
})

await t.test('a slow provider has eight requests at once, and keeps nobody else waiting', async (t) => {
  const [slow, other] = [await startLyingProvider(t), await startLyingProvider(t)]
  const client = openClient(t)
  const go = hold(slow, CONFIGURATION)
  const provider = storedProvider({ issuer: slow.issuer })
  const checks = Array.from({ length: 20 }, () => client.check(provider))
  await eventually('eight requests arrive', async () => count(slow, CONFIGURATION) >= 8)
  const their = storedProvider({ issuer: other.issuer })
  const { url, flow } = await client.begin(their, CALLBACK, NO_HINT)
  t.match(await client.complete(their, flow, await followSignIn(url)), { subject: 'ana' })
  t.equal(count(slow, CONFIGURATION), 8)
  go()
  t.equal((await Promise.all(checks)).length, 20)
})

await t.test('too many requests that wait for a slow provider are refused at once', async (t) => {
  const slow = await startLyingProvider(t)
  const client = openClient(t)
  const go = hold(slow, CONFIGURATION)
  const provider = storedProvider({ issuer: slow.issuer })
  const checks = Array.from({ length: 8 + 64 }, () => client.check(provider))
  await t.rejects(client.check(provider), refusal('unreachable', /too slowly/))
  go()
  await Promise.all(checks)
})

await t.test('a provider that many companies share is refused, as it would let in all of them', async (t) => {
  const issuer = 'https://login.microsoftonline.com/common/v2.0'
  const metadata = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0', jwks_uri: `${issuer}/keys` }
  const options = { fetch: async () => Response.json(metadata), allowsHttp: false, execute: [] }
  await t.rejects(discoverProvider({ issuer, client_id: 'ledger' }, options), refusal('wrong_issuer', /\{tenantid\}/))
})

await t.test("the addresses in a provider's configuration are checked too", async (t) => {
  const outgoing = openOutgoing({ allowPrivate: false, peer: 'The provider' })
  t.teardown(outgoing.close)
  const asking = openProviderFetch({ outgoing, requests: createBudget({ share: 1 }), companyId: 'cmp_a' })
  const issuer = 'https://idp.example'
  for (const [address, message] of [
    ['https://169.254.169.254/keys', /not public/],
    ['http://idp.example/keys', /https/],
  ] as const) {
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: address,
    }
    const fetch: CustomFetch = async (url, options) =>
      url === `${issuer}${CONFIGURATION}` ? Response.json(metadata) : asking(url, options)
    const options = { fetch, allowsHttp: false, execute: [] }
    const discovered = discoverProvider({ issuer, client_id: 'ledger' }, options)
    await t.rejects(discovered, refusal('misconfigured', message))
  }
})

await t.test('the issuer must be exactly as it is set', async (t) => {
  const idp = await startLyingProvider(t)
  const client = openClient(t)
  for (const issuer of [`${idp.issuer}/`, `${idp.issuer}/.well-known/openid-configuration`])
    await t.rejects(client.check(storedProvider({ issuer })), {
      ...refusal('wrong_issuer'),
      message: `Issuer mismatch: the provider reports ${idp.issuer}; you entered ${issuer}`,
    })
})
