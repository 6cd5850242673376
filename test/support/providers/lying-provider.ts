import type { JWTPayload } from 'jose'
import { CompactSign, importJWK } from 'jose'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { Test } from 'tap'
import { signingKey } from './provider-keys.ts'
import { CLIENT } from './stored-provider.ts'

const CONFIGURATION = '/.well-known/openid-configuration'

/** Answers a request in another way than a provider does. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** What the provider says instead of the truth. A member that is undefined is left out. */
export interface Lies {
  /** Of its configuration. */
  metadata?: Record<string, unknown>
  /** Of the claims of tokens. */
  claims?: Record<string, unknown>
  /** Of the header of tokens. */
  header?: Record<string, unknown>
  /** How tokens are signed, unless with the key that is published. */
  signature?: 'none' | 'other key' | 'client secret'
  /** Of the parameters with which users come back. */
  callback?: Record<string, string | undefined>
  /** Of the answer with tokens. */
  tokens?: Record<string, unknown>
  userInfo?: Record<string, unknown>
  keys?: unknown
  /** By path. */
  answers?: Record<string, Answer>
}

export interface LyingProvider {
  issuer: string
  lies: Lies
  /** `METHOD path` of each request, in order. */
  requests: string[]
  /** The requests for tokens: their headers and fields. */
  redeemed: { authorization: string | undefined; form: URLSearchParams }[]
  /** Makes a token for back-channel logout, with these claims instead of the right ones. */
  makeLogoutToken(claims?: Record<string, unknown>): Promise<string>
}

/** Answers of servers that are no providers. */
export const SILENT: Answer = () => undefined
export const GARBAGE: Answer = (response) => response.setHeader('content-type', 'application/json').end('{"issuer": "…')
export const ENDLESS: Answer = (response) => {
  response.setHeader('content-type', 'application/json').write('{"a": "')
  const chunk = 'x'.repeat(64 * 1024)
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', write)
  write()
}
export const redirectTo =
  (url: string): Answer =>
  (response) =>
    response.writeHead(302, { location: url }).end()
export const refuse =
  (status: number, body: object = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Starts a provider that can lie. It signs everybody in as the same person, without asking. */
export async function startLyingProvider(t: Pick<Test, 'teardown'>, lies: Lies = {}): Promise<LyingProvider> {
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const nonces = new Map<string, string>()
  const started: LyingProvider = {
    issuer,
    lies,
    requests: [],
    redeemed: [],
    makeLogoutToken: (claims = {}) =>
      sign({
        ...times(),
        iss: issuer,
        aud: CLIENT.clientId,
        sub: 'ana',
        sid: 'session',
        jti: 'unique',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      }),
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer)
    started.requests.push(`${request.method} ${url.pathname}`)
    const answer = started.lies.answers?.[url.pathname] ?? ANSWERS[url.pathname]
    if (answer) await answer(response, request)
    else response.writeHead(404).end()
  }

  const send = (response: ServerResponse, body: unknown) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))

  const ANSWERS: Record<string, Answer> = {
    [CONFIGURATION]: (response) =>
      send(response, {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...started.lies.metadata,
      }),
    '/jwks': (response) => {
      const { kty, n, e, kid, use, alg } = signingKey(0)
      send(response, started.lies.keys ?? { keys: [{ kty, n, e, kid, use, alg }] })
    },
    '/auth': (response, request) => {
      const { searchParams: asked } = new URL(request.url!, issuer)
      const code = `code-${nonces.size}`
      nonces.set(code, asked.get('nonce')!)
      const back = new URL(asked.get('redirect_uri')!)
      const given = { code, state: asked.get('state')!, iss: issuer, ...started.lies.callback }
      for (const [name, value] of Object.entries(given)) if (value !== undefined) back.searchParams.set(name, value)
      response.writeHead(303, { location: back.href }).end()
    },
    '/token': async (response, request) => {
      const form = new URLSearchParams(await readText(request))
      started.redeemed.push({ authorization: request.headers.authorization, form })
      const nonce = nonces.get(form.get('code') ?? '')
      const person = { sub: 'ana', sid: 'session', email: 'ana@example.com', email_verified: true, name: 'Ana' }
      const claims = { ...times(), iss: issuer, aud: form.get('client_id') ?? CLIENT.clientId, nonce, ...person }
      const idToken = await sign({ ...claims, ...started.lies.claims })
      send(response, { access_token: 'access', token_type: 'Bearer', id_token: idToken, ...started.lies.tokens })
    },
    '/userinfo': (response) => send(response, { sub: 'ana', ...started.lies.userInfo }),
  }

  async function sign(claims: JWTPayload): Promise<string> {
    const { signature } = started.lies
    const alg = { none: 'none', 'client secret': 'HS256', 'other key': 'RS256' }[signature ?? 'other key']
    const header = { alg, kid: signingKey(0).kid, ...started.lies.header }
    const payload = Buffer.from(JSON.stringify(claims))
    if (signature === 'none')
      return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload.toString('base64url')}.`
    const key =
      signature === 'client secret'
        ? Buffer.from(CLIENT.secret)
        : await importJWK(signingKey(signature === 'other key' ? 1 : 0), 'RS256')
    return new CompactSign(payload).setProtectedHeader(header).sign(key, { crit: { x: false } })
  }

  return started
}

function times(): { iat: number; exp: number } {
  const now = Math.floor(Date.now() / 1_000)
  return { iat: now, exp: now + 300 }
}
