import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { ClientMetadata, Configuration, JWKS, Provider } from 'oidc-provider'
import OidcProvider from 'oidc-provider'
import type { Test } from 'tap'
import { openMemory } from './provider-memory.ts'
import { signingKey } from './provider-keys.ts'

/** A person at the provider. Every field but `sub` may be missing. */
export interface TestAccount {
  sub: string
  email?: string
  /** A text, as Amazon Cognito sends it. */
  email_verified?: boolean | 'true' | 'false'
  name?: string
  groups?: string | string[]
  roles?: string | string[]
}

export interface TestProvider {
  issuer: string
  accounts: TestAccount[]
  /** Whom the provider signs in without asking; null: it shows a form (fields `login` and the buttons of `FORM`). */
  signsIn: string | null
  /** Added to the times in tokens, in seconds: a clock that is wrong. */
  skewSeconds: number
  /** `METHOD path` of each request, in order. */
  requests: string[]
  /** Adds or replaces a client. Code flow with PKCE (S256 only); its secret may be sent as basic or post, as declared. */
  addClient(client: TestClient): void
  /** Signs with a new key from now on; the key set contains only this one. */
  rotateKeys(): void
  /** Ends the sessions of an account, and tells the clients that have a back-channel address. */
  endSessions(sub: string): Promise<void>
  /** Refuses connections until it resumes. */
  stop(): Promise<void>
  resume(): Promise<void>
}

export interface TestClient {
  clientId: string
  redirectUris: string[]
  /** Proves itself with this secret (basic), unless it has keys. */
  secret?: string
  /** Default: client_secret_basic. */
  secretMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Public keys: the client proves itself with private_key_jwt. */
  jwks?: JWKS
  postLogoutRedirectUris?: string[]
  backchannelLogoutUri?: string
}

interface TestProviderOptions {
  accounts?: TestAccount[]
  clients?: TestClient[]
  /** Default: the first account. */
  signsIn?: string | null
  /** Whether ID tokens contain the email and the roles, or only userinfo does. Default: ID tokens. */
  claimsIn?: 'id_token' | 'userinfo'
  /** Default: basic, post, and private_key_jwt. */
  clientAuthMethods?: Configuration['clientAuthMethods']
  /** Default: 127.0.0.1. A browser shares the cookies of all ports of a host. */
  host?: '127.0.0.1' | 'localhost'
}

/** The names of the form's parts, for browser tests. */
export const FORM = { field: 'login', submit: 'Sign in at the provider', cancel: 'Cancel' } as const

const ID_TOKEN_SECONDS = 3600

export const ANA: TestAccount = { sub: 'ana-at-idp', email: 'ana@example.com', email_verified: true, name: 'Ana Pérez' }

/** Starts a certified provider on this machine, on a port of its own. */
export async function startTestProvider(
  t: Pick<Test, 'teardown'>,
  options: TestProviderOptions = {},
): Promise<TestProvider> {
  const { accounts = [ANA], clients = [], host = '127.0.0.1' } = options
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const memory = openMemory()
  const started: TestProvider = {
    issuer: `http://${host}:${port}`,
    accounts,
    signsIn: options.signsIn === undefined ? (accounts[0]?.sub ?? null) : options.signsIn,
    skewSeconds: 0,
    requests: [],
    addClient: (client) => memory.addClient(client.clientId, describeClient(client)),
    rotateKeys() {
      generation += 1
      provider = build()
    },
    async endSessions(sub) {
      for (const { clientId, sid } of memory.endSessions(sub)) {
        const client = await provider.Client.find(clientId)
        if (client?.backchannelLogoutUri) await (client as unknown as LogoutSender).backchannelLogout(sub, sid)
      }
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async resume() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
  for (const client of clients) started.addClient(client)

  let generation = 0
  const build = () => openProvider({ started, memory, port, options, keys: [signingKey(generation)] })
  let provider = build()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', started.issuer)
    started.requests.push(`${request.method} ${pathname}`)
    if (!pathname.startsWith('/interaction/')) return provider.callback()(request, response)
    if (request.method === 'POST') {
      const form = new URLSearchParams(await readText(request))
      return finish(request, response, form.has('cancel') ? null : form.get(FORM.field))
    }
    if (started.signsIn !== null) return finish(request, response, started.signsIn)
    const { params } = await provider.interactionDetails(request, response)
    response.setHeader('content-type', 'text/html').end(showForm(params.login_hint as string | undefined))
  }

  /** Signs in the account with this subject or email, or refuses. */
  async function finish(request: IncomingMessage, response: ServerResponse, login: string | null): Promise<void> {
    const account = started.accounts.find(({ sub, email }) => login === sub || login === email)
    const result = account
      ? { login: { accountId: account.sub } }
      : { error: 'access_denied', error_description: 'The person did not sign in' }
    await provider.interactionFinished(request, response, result)
  }

  t.teardown(() => (server.listening ? started.stop() : undefined))
  return started
}

/** What the types of oidc-provider leave out. */
interface LogoutSender {
  backchannelLogout(sub: string, sid: string): Promise<void>
}

interface OpenOptions {
  started: TestProvider
  memory: ReturnType<typeof openMemory>
  port: number
  options: TestProviderOptions
  keys: JWKS['keys']
}

function openProvider({ started, memory, port, options, keys }: OpenOptions): Provider {
  const configuration: Configuration = {
    adapter: memory.adapter,
    jwks: { keys },
    cookies: {
      keys: ['test'],
      names: { session: `idp${port}`, interaction: `idp${port}_interaction`, resume: `idp${port}_resume` },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups', 'roles'] },
    conformIdTokenClaims: options.claimsIn === 'userinfo',
    clientAuthMethods: options.clientAuthMethods ?? ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    pkce: { required: () => true },
    findAccount(_ctx, sub) {
      const account = started.accounts.find((one) => one.sub === sub)
      return account && { accountId: sub, claims: () => ({ ...account }) }
    },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(ctx, form) {
          // The browser confirms at once.
          const confirm = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>'
          ctx.body = `${form}${confirm}<script>document.querySelector('button').click()</script>`
        },
      },
    },
    renderError(ctx, out) {
      ctx.type = 'text'
      ctx.body = Object.entries(out).map(String).join('\n')
    },
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      Grant: 3600,
      Interaction: 3600,
      Session: 3600,
      IdToken: ID_TOKEN_SECONDS,
    },
    // Its own protection refuses addresses of this machine.
    fetch: (url, options = {}) => fetch(url, { ...options, dispatcher: undefined } as object),
  }
  const provider = new OidcProvider(started.issuer, configuration)
  skewTokens(provider, started)
  return provider
}

/** Moves the times of ID tokens and logout tokens. */
function skewTokens(provider: Provider, started: TestProvider): void {
  const tokens = provider.IdToken.prototype
  const { issue, payload } = tokens
  const now = () => Math.floor(Date.now() / 1_000) + started.skewSeconds
  tokens.issue = function issueSkewed(options) {
    return issue.call(this, { ...options, expiresAt: now() + ID_TOKEN_SECONDS })
  }
  tokens.payload = async function describeSkewed() {
    return { ...(await payload.call(this)), iat: now() }
  }
}

function describeClient({ clientId, secret, secretMethod, jwks, ...client }: TestClient): ClientMetadata {
  return {
    client_id: clientId,
    ...(jwks
      ? { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'ES256', jwks }
      : { client_secret: secret!, token_endpoint_auth_method: secretMethod ?? 'client_secret_basic' }),
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
    ...(client.backchannelLogoutUri
      ? { backchannel_logout_uri: client.backchannelLogoutUri, backchannel_logout_session_required: true }
      : {}),
  }
}

function showForm(hint = ''): string {
  const value = hint.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html><title>Test provider</title><form method="post">
<label>Account <input name="${FORM.field}" value="${value}"></label>
<button>${FORM.submit}</button> <button name="cancel" value="1">${FORM.cancel}</button></form>`
}
