import { lookup as lookUpBySystem } from 'node:dns'
import {
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
  Agent as HttpAgent,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { isTurnOver, nextTurn } from '#admission/turns'
import { CLOSED_EARLY, toOutgoingError, OutgoingError } from './outgoing-error.ts'
import { mayReach, lookUpHost } from './reachable-addresses.ts'

/** Milliseconds that a server may take from the connection to the end of its answer. */
const ANSWER_MS = 10_000
const IDLE_MS = 15_000
const IDLE_CONNECTIONS = 4
/** The bytes of an answer that wait to be read, so that a server can't send many tiny parts in one turn. */
const WAITING_BYTES = 4_096
/** A server that sends so many interim answers (1xx) sends no other. */
const MAX_INTERIM = 8

interface OutgoingRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string | undefined
  /** Whether it may be sent twice, as when an idle connection breaks. If not, it gets a new connection. Default: yes. */
  isRepeatable?: boolean
  /** Ends the exchange, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

export interface Outgoing {
  /**
   * Sends a request and reads its answer with `read`, within the time limit. Redirects are answers like any other.
   * Rejects with OutgoingError if there is no complete answer.
   */
  exchange<Result>(
    url: string,
    request: OutgoingRequest,
    read: (response: IncomingMessage) => Promise<Result>,
  ): Promise<Result>
  /** Closes idle connections. */
  close(): void
}

export interface OutgoingOptions {
  allowPrivate: boolean
  /** What errors call the other side. */
  peer: string
  /** Finds the addresses of a host. Default: by DNS, and with `allowPrivate` as the system does. */
  lookUp?: typeof lookUpHost
  /** Default: 10 seconds. */
  answerMs?: number
}

/**
 * Opens connections to servers that users name. Each address is checked when a connection is made, so that a name that
 * changes its address gains nothing; loopback, private, link-local and all other addresses that are not public are
 * refused. With `allowPrivate`, http and all addresses but link-local ones and those of metadata services are allowed.
 */
export function openOutgoing({
  allowPrivate,
  peer,
  lookUp = allowPrivate ? lookUpBySystem : lookUpHost,
  answerMs = ANSWER_MS,
}: OutgoingOptions): Outgoing {
  const closed = allowPrivate ? 'The address is link-local, or that of a metadata service' : 'The address is not public'
  function assertReachable(address: string) {
    if (!mayReach(address, allowPrivate)) throw new OutgoingError('refused', closed)
  }
  const lookup = checkAddresses(lookUp, assertReachable)
  const openAgents = (given: AgentOptions) => {
    const options = { ...given, lookup, highWaterMark: WAITING_BYTES }
    return { http: new HttpAgent(options), https: new HttpsAgent(options) }
  }
  const reusing = openAgents({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_CONNECTIONS })
  const opening = openAgents({ keepAlive: false })

  async function send(url: URL, request: OutgoingRequest, signal: AbortSignal) {
    const { method, headers, body, isRepeatable = true } = request
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const message = { method, signal, headers: { ...headers, ...length } }
    const open = (agents: typeof opening) =>
      url.protocol === 'https:'
        ? requestHttps(url, { ...message, agent: agents.https })
        : requestHttp(url, { ...message, agent: agents.http })
    const first = open(isRepeatable ? reusing : opening)
    try {
      return await getResponse(first, body, peer)
    } catch (error) {
      // The other side had closed an idle connection, and may have closed them all.
      if (!first.reusedSocket || !CLOSED.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      return getResponse(open(opening), body, peer)
    }
  }

  return {
    async exchange(url, request, read) {
      const timeUp = AbortSignal.timeout(answerMs)
      try {
        const target = new URL(url)
        if (target.protocol !== 'https:' && !allowPrivate)
          throw new OutgoingError('refused', 'The address does not use https')
        // Only names are looked up.
        const host = target.hostname.replace(/^\[|\]$/g, '')
        if (isIP(host) !== 0) assertReachable(host)
        return await read(await send(target, request, AbortSignal.any([request.signal, timeUp].filter(isGiven))))
      } catch (error) {
        request.signal?.throwIfAborted()
        if (timeUp.aborted)
          throw new OutgoingError('unanswered', `${peer} did not answer within ${answerMs / 1_000} seconds`)
        throw toOutgoingError(error as NodeJS.ErrnoException)
      }
    },
    close() {
      for (const { http, https } of [reusing, opening]) for (const agent of [http, https]) agent.destroy()
    },
  }
}

type LookUp = NonNullable<OutgoingOptions['lookUp']>

/** Looks up a host for each connection, and fails if any of its addresses must not be reached. */
function checkAddresses(lookUp: LookUp, assertReachable: (address: string) => void): LookUp {
  return (hostname, options, callback) =>
    lookUp(hostname, options, (error, answers, family) => {
      try {
        if (!error) for (const one of [answers].flat()) assertReachable(typeof one === 'string' ? one : one.address)
      } catch (refusal) {
        return callback(refusal as Error, [])
      }
      callback(error, answers, family)
    })
}

const isGiven = (signal: AbortSignal | undefined) => signal !== undefined

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** Sends a request and resolves with the answer, whose body is not read yet. */
function getResponse(request: ClientRequest, body: string | undefined, peer: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject)
    let interim = 0
    request.on('information', () => {
      interim += 1
      // What has arrived already is parsed all the same.
      if (interim === MAX_INTERIM) request.destroy(new OutgoingError('broken', `${peer} sent no answer`))
    })
    // Without a listener, Node closes the connection and tells nobody.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      reject(new OutgoingError('broken', `${peer} answered ${response.statusCode}`))
    })
    request.on('close', () => reject(new OutgoingError('unanswered', CLOSED_EARLY)))
    request.end(body)
  })
}

/** Reads an answer to its end. Throws if it has more than `most` bytes. */
export async function readAnswer(response: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let read = 0
  for await (const chunk of readParts(response)) {
    chunks.push(chunk)
    read += chunk.length
    // Leaving the loop closes the connection.
    if (read > most) throw new OutgoingError('broken', `The answer exceeded ${most / 1024} KiB`)
  }
  return Buffer.concat(chunks)
}

/** Reads the parts of an answer. A server may send it byte by byte. */
export async function* readParts(response: IncomingMessage): AsyncGenerator<Buffer, void> {
  for await (const part of response as AsyncIterable<Buffer>) {
    // Node.js goes on with what arrives meanwhile in the same turn.
    if (isTurnOver()) await nextTurn()
    yield part
  }
}
