import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
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
  answer(message: ReceivedMessage, response: ServerResponse): unknown
  /** Resolves once this many messages have arrived, with all of them. */
  waitFor(count: number): Promise<ReceivedMessage[]>
  close(): void
}

/** Starts a receiver of webhooks on this machine. */
export async function startReceiver(t: Pick<Test, 'teardown'>): Promise<Receiver> {
  let waiting: (() => void)[] = []
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request)
    const message = { headers: request.headers, text, body: JSON.parse(text) as unknown }
    receiver.received.push(message)
    void receiver.answer(message, response)
    for (const resolve of waiting) resolve()
  }
  const server = createServer((request, response) => void receive(request, response))
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
