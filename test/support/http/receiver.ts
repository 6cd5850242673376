import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A message as a receiver got it. */
export interface ReceivedMessage {
  headers: IncomingMessage['headers']
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface Receiver {
  url: string
  /** The messages that arrived, in order. */
  received: ReceivedMessage[]
  /** How the next messages are answered; 204 by default. */
  answer(message: ReceivedMessage, response: ServerResponse): void
  /** Resolves once this many messages have arrived, with all of them. */
  waitFor(count: number): Promise<ReceivedMessage[]>
  close(): void
}

/** Starts a receiver of webhooks on this machine. */
export async function startReceiver(t: Pick<Test, 'teardown'>): Promise<Receiver> {
  let waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const message = { headers: request.headers, text, body: JSON.parse(text) as unknown }
    receiver.received.push(message)
    receiver.answer(message, response)
    for (const resolve of waiting) resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: (_message, response) => response.writeHead(204).end(),
    async waitFor(count) {
      while (receiver.received.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
      waiting = []
      return receiver.received
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  t.teardown(receiver.close)
  return receiver
}
