import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { buildConnector, Dispatcher } from 'undici'
import { Pool } from 'undici'
import type { FuzzedRequest } from './any-request.ts'
import { bytesOf } from './hostile-json.ts'
import type { World } from './world.ts'

/** An answer, or the connection's error. */
export interface FuzzedAnswer {
  status: number
  headers: Record<string, string>
  text: string
  /** Milliseconds until the answer was complete. */
  tookMs: number
}

export interface Sender {
  /** Throws when there is no answer. */
  send(request: FuzzedRequest, world: World): Promise<FuzzedAnswer>
  close(): Promise<void>
}

const PATIENCE_MS = 60_000
const EVENT_STREAM = 'text/event-stream'

/** Connections that are kept, with one request at a time on each. Undici lets odd addresses and double headers pass. */
export function openSender(address: string, connections: number, connect?: buildConnector.connector): Sender {
  const pool = new Pool(address, {
    connections,
    pipelining: 1,
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    ...(connect ? { connect } : {}),
  })
  return {
    async send(request, world) {
      const headers = [...world.credentials(request.caller), ...request.headers].flatMap(([name, value]) => [
        name,
        world.fill(value),
      ])
      const body =
        request.body === null
          ? null
          : bytesOf(request.body.map((piece) => (typeof piece === 'string' ? world.fill(piece) : piece)))
      const sentAt = performance.now()
      const answer = await pool.request({ method: request.method, path: world.fill(request.target), headers, body })
      const isEndless = String(answer.headers['content-type']).startsWith(EVENT_STREAM)
      const text = isEndless
        ? await dropped(answer.body)
        : textOf(answer.headers, Buffer.from(await answer.body.arrayBuffer()))
      return { status: answer.statusCode, headers: flat(answer.headers), text, tookMs: performance.now() - sentAt }
    },
    close: () => pool.destroy(),
  }
}

function textOf(headers: Dispatcher.ResponseData['headers'], bytes: Buffer): string {
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync }[String(headers['content-encoding'])]
  return (unpack ? unpack(bytes) : bytes).toString('utf8')
}

/** A live stream has no end, so its first chunk is enough. */
async function dropped(body: Dispatcher.ResponseData['body']): Promise<string> {
  body.on('error', () => undefined).destroy()
  return ''
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))
}
