import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { lookUpHost } from './look-up.ts'

/** Milliseconds that a receiver may take from the connection to the end of its answer. */
const ANSWER_MS = 10_000
/** Bytes of an answer that are read. */
const MOST_READ = 64 * 1024
/** Bytes of an answer that are kept. */
const MOST_KEPT = 1024
/** The metadata service of Azure, whose address is public by its range. */
const METADATA = ['168.63.129.16']
const IDLE_MS = 15_000
const IDLE_CONNECTIONS = 4

/** What came of sending a message. */
export interface PostResult {
  /** The status that the receiver answered; null if it did not answer. */
  httpStatus: number | null
  /** Why the message does not count as delivered, a sentence; null if it does. */
  error: string | null
  /** The start of the answer's body; null if there was none. */
  answer: string | null
  durationMs: number
  /** The value of `Retry-After`, if the receiver sent one. */
  retryAfter: string | null
}

export interface Poster {
  /**
   * Sends a body to a receiver and reads its answer. 2xx is success; a redirect is not followed. Never rejects, except
   * with the signal's reason if the signal aborts.
   */
  post(url: string, headers: Record<string, string>, body: string, signal?: AbortSignal): Promise<PostResult>
  /** Closes idle connections. */
  close(): void
}

interface PosterOptions {
  allowPrivate: boolean
  /** Finds the addresses of a host. Default: by DNS. */
  lookUp?: typeof lookUpHost
  /** Default: 10 seconds. */
  answerMs?: number
}

/**
 * Opens connections to receivers. Each address is checked when a connection is made, so that a name that changes its
 * address gains nothing; loopback, private, link-local and all other addresses that are not public are refused. With
 * `allowPrivate`, http and all addresses are allowed.
 */
export function openPoster({ allowPrivate, lookUp = lookUpHost, answerMs = ANSWER_MS }: PosterOptions): Poster {
  const options = {
    ...{ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_CONNECTIONS },
    ...(allowPrivate
      ? { allowPrivateIPAddress: true, allowMetaIPAddress: true }
      : { lookup: lookUp, denyIPAddressList: METADATA }),
  }
  const agents = { 'http:': new RequestFilteringHttpAgent(options), 'https:': new RequestFilteringHttpsAgent(options) }

  async function send(
    url: URL,
    headers: Record<string, string>,
    body: string,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const message = { method: 'POST', signal, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
    const open = () =>
      url.protocol === 'https:'
        ? requestHttps(url, { ...message, agent: agents['https:'] })
        : requestHttp(url, { ...message, agent: agents['http:'] })
    const request = open()
    try {
      return await getResponse(request, body)
    } catch (error) {
      // The receiver had closed an idle connection.
      if (!request.reusedSocket || !CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      return getResponse(open(), body)
    }
  }

  return {
    async post(url, headers, body, signal = new AbortController().signal) {
      const beganAt = performance.now()
      const timeUp = AbortSignal.timeout(answerMs)
      const result: PostResult = { httpStatus: null, error: null, answer: null, durationMs: 0, retryAfter: null }
      try {
        const target = new URL(url)
        if (target.protocol !== 'https:' && !allowPrivate) throw new Error('The address does not use https')
        const response = await send(target, headers, body, AbortSignal.any([signal, timeUp]))
        result.httpStatus = response.statusCode ?? null
        result.retryAfter = readHeader(response.headers, 'retry-after')
        result.answer = await readStart(response)
        result.error = judgeStatus(response.statusCode ?? 0)
      } catch (error) {
        signal.throwIfAborted()
        result.error = timeUp.aborted
          ? `The receiver did not answer within ${answerMs / 1_000} seconds`
          : describeFault(error as NodeJS.ErrnoException)
      }
      return { ...result, durationMs: Math.round(performance.now() - beganAt) }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Sends a request and resolves with the answer, whose body is not read yet. */
function getResponse(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
    // Without a listener, Node closes the connection and tells nobody.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      reject(new Error(`The receiver answered ${response.statusCode}`))
    })
    request.on('close', () => reject(new Error('The connection was closed before the answer ended')))
    request.end(body)
  })
}

/** Reads an answer to its end. Throws if it is too long, and keeps only its start. */
async function readStart(response: IncomingMessage): Promise<string | null> {
  const kept: Buffer[] = []
  let read = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (read < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - read))
    read += chunk.length
    // Leaving the loop closes the connection.
    if (read > MOST_READ) throw new Error(`The answer exceeded ${MOST_READ / 1024} kB`)
  }
  // PostgreSQL stores no U+0000.
  return read === 0 ? null : new TextDecoder().decode(Buffer.concat(kept)).replaceAll('\0', '\uFFFD')
}

function judgeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `Redirects are not followed (${status})` : `The receiver answered ${status}`
}

function readHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

const FAULTS: Record<string, string> = {
  ENOTFOUND: 'The host name has no address',
  ENODATA: 'The host name has no address',
  ETIMEOUT: 'The name servers did not answer',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before the answer ended',
  EPIPE: 'The connection was closed before the answer ended',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
}

/** Describes why a request failed, without details that only an operator should see. */
function describeFault(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error
  if (message.includes('is not allowed')) return 'The address is not public'
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP'
  if (FAULTS[code] !== undefined) return FAULTS[code]
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return `The TLS connection failed (${code})`
  return code === '' ? message : `The request failed (${code})`
}
