import { parentPort } from 'node:worker_threads'
import { request as open } from 'undici'
import type { DistantAnswer, ReadyRequest } from './distant-client.ts'

/* The thread of `startDistantClient`. */

const BEGINNING = 300
let ready: ReadyRequest | undefined

async function send({ method, url, headers, body, isEndless }: ReadyRequest): Promise<DistantAnswer> {
  const answer = await open(url, { method: method as 'GET', headers, body, headersTimeout: 0, bodyTimeout: 0 })
  let [bytes, beginning] = [0, '']
  if (isEndless) answer.body.on('error', () => undefined).destroy()
  else
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (beginning.length < BEGINNING) beginning += chunk.toString('latin1').slice(0, BEGINNING)
    }
  return { status: answer.statusCode, bytes, beginning }
}

const broken = (error: unknown): DistantAnswer => ({ status: 0, bytes: 0, beginning: String(error) })

// A thread has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const answer = (value: DistantAnswer | null) => parentPort!.postMessage(value)

parentPort!.on('message', ({ request }: { request?: ReadyRequest }) => {
  if (!request) return void send(ready!).catch(broken).then(answer)
  ready = request
  answer(null)
})
