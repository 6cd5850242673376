import { once } from 'node:events'
import type { Test } from 'tap'
import { Worker } from 'node:worker_threads'

/** A request, ready to be sent. */
export interface ReadyRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: Uint8Array | null
  /** Leaves after the first bytes of the answer, which has no end. */
  isEndless?: boolean
}

/** What came back: the status is 0 if the connection broke. */
export interface DistantAnswer {
  status: number
  /** Of the body. */
  bytes: number
  beginning: string
}

/** A client in a thread of its own: what it does takes no time of this thread's event loop. */
export interface DistantClient {
  /** Hands a request over. */
  prepare(request: ReadyRequest): Promise<void>
  /** Sends the request that was handed over last. */
  send(): Promise<DistantAnswer>
}

/** Starts a client in a thread of its own. */
export function startDistantClient(t: Pick<Test, 'teardown'>): DistantClient {
  const worker = new Worker(new URL('distant-client-worker.ts', import.meta.url))
  t.teardown(() => worker.terminate())
  const ask = async (message: unknown) => {
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(message)
    const [answer] = (await once(worker, 'message')) as [unknown]
    return answer
  }
  return {
    async prepare(request) {
      await ask({ request })
    },
    send: async () => (await ask({ send: true })) as DistantAnswer,
  }
}
