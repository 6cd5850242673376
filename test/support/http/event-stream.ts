import http from 'node:http'
import type { Test } from 'tap'

/** An event as received. */
interface StreamedEvent {
  id: string
  // The tests look into events of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
}

interface Heartbeat {
  interval_ms: number
}

/** A stream of server-sent events that a test reads from. */
export interface EventStream {
  status: number
  headers: http.IncomingHttpHeaders
  /** The last id that the server sent, with or without an event. */
  lastId(): string
  /** Waits for the next event; null when the stream is over. */
  next(): Promise<StreamedEvent | null>
  /** Waits for the next comment; null when the stream is over. */
  comment(): Promise<string | null>
  /** Waits for the next heartbeat; null when the stream is over. */
  heartbeat(): Promise<Heartbeat | null>
  close(): void
}

/** Opens a stream and waits for its headers; after an error status it has read the body. */
export async function openEventStream(t: Test, url: string, headers: Record<string, string>): Promise<EventStream> {
  const request = http.get(url, { headers, agent: false })
  t.teardown(() => request.destroy())
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  const events = new Waiting<StreamedEvent>()
  const comments = new Waiting<string>()
  const heartbeats = new Waiting<Heartbeat>()
  let [rest, lastId] = ['', '']
  const begun = Promise.withResolvers<void>()
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const lines = block.split('\n')
      const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length)
      lastId = field('id: ') ?? lastId
      const [data, comment] = [field('data: '), field(': ')]
      if (field('event: ') === 'heartbeat') heartbeats.push(JSON.parse(data!))
      else if (data !== undefined) events.push({ id: field('id: ')!, data: JSON.parse(data) })
      if (comment !== undefined) comments.push(comment)
    }
    begun.resolve()
  })
  const over = () => {
    events.end()
    comments.end()
    heartbeats.end()
    begun.resolve()
  }
  response.once('close', over).on('error', over)
  request.on('error', over)
  await begun.promise
  return {
    status: response.statusCode!,
    headers: response.headers,
    lastId: () => lastId,
    next: () => events.next(),
    comment: () => comments.next(),
    heartbeat: () => heartbeats.next(),
    close: () => request.destroy(),
  }
}

/** A queue of received items, or of readers that wait for one. */
class Waiting<Item> {
  readonly #items: Item[] = []
  #waiting: ((item: Item | null) => void)[] = []
  #isOver = false

  push(item: Item): void {
    const waiting = this.#waiting.shift()
    if (waiting) waiting(item)
    else this.#items.push(item)
  }

  end(): void {
    this.#isOver = true
    for (const waiting of this.#waiting) waiting(null)
    this.#waiting = []
  }

  async next(): Promise<Item | null> {
    const item = this.#items.shift()
    if (item !== undefined) return item
    if (this.#isOver) return null
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
