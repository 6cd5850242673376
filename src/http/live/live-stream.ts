import type { FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import { idsOf } from '../server/log-ids.ts'

/** Bounds of the live streams. */
export interface StreamLimits {
  /** Streams that a user may have open at once in this process. */
  perUser: number
  /** How often a stream with nothing to send shows that it is alive and checks its user's rights, in milliseconds. */
  heartbeatMs: number
  /** How long a stream lasts; its client opens the next one and misses nothing. In milliseconds. */
  lifeMs: number
}

/** What comes behind a position, in order. */
export interface LiveEvents {
  events: { position: number; data: unknown }[]
  /** The position up to which has been looked. */
  reached: number
  /** Whether there is more already. */
  isMore: boolean
}

/** What a stream follows. */
export interface LiveSource {
  readAfter(position: number): Promise<LiveEvents>
  /** Calls back whenever there may be something new. Returns how to stop listening. */
  listen(onMoved: () => void): () => void
  /** The id by which a client resumes behind a position. */
  idOf(position: number): string
  /** Throws when the request's user may not (any more) see it. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** How long a client waits before it opens the stream again. */
const RETRY_MS = 1_000

/**
 * Sends what comes after a position until the stream ends, for whatever reason; its client resumes from the last id. The
 * user's rights are checked before each page of events: what ends them ends the stream before its next event.
 */
export async function followLive(
  source: LiveSource,
  limits: StreamLimits,
  {
    request,
    reply,
    start,
    stopping,
  }: { request: FastifyRequest; reply: FastifyReply; start: number; stopping: AbortSignal },
): Promise<void> {
  const over = new AbortController()
  reply.sse.onClose(() => over.abort())
  const life = setTimeout(() => over.abort(), limits.lifeMs)
  const ended = AbortSignal.any([stopping, over.signal])
  const bell = new Bell()
  const stopListening = source.listen(() => bell.ring())
  let position = start
  try {
    begin(reply, source.idOf(start))
    let checkAt = performance.now() + limits.heartbeatMs
    while (!ended.aborted && !reply.raw.destroyed) {
      if (performance.now() >= checkAt) {
        await source.authorize(request, reply)
        // With the id of what has been looked at, whether it was sent or not.
        reply.raw.write(`: still here\nid: ${source.idOf(position)}\n\n`)
        checkAt = performance.now() + limits.heartbeatMs
      }
      bell.reset()
      const { events, reached, isMore } = await source.readAfter(position)
      // After the reading: a page that took long to read is not sent to somebody who was removed meanwhile.
      if (events.length > 0) await source.authorize(request, reply)
      for (const { position: at, data } of events) {
        if (!(await deliver(reply, { id: source.idOf(at), data }, ended, limits.heartbeatMs))) return
        position = at
      }
      position = reached
      if (!isMore) await bell.wait(checkAt - performance.now(), ended)
    }
  } catch (error) {
    // The status is out; the next attempt of the client is answered with what is wrong.
    request.log.info({ err: error, ...idsOf(request) }, 'a stream ended')
  } finally {
    clearTimeout(life)
    stopListening()
    // What a client does not take cannot be ended in good order.
    if (reply.raw.writableNeedDrain) reply.raw.destroy()
  }
}

/** Sends the head of the answer, and the id to resume from should the stream end before its first event. */
function begin(reply: FastifyReply, id: string): void {
  void reply.header('connection', 'close')
  reply.sse.sendHeaders()
  reply.raw.write(`retry: ${RETRY_MS}\nid: ${id}\n\n`)
}

/** Sends an event. Returns false when the client did not take it before its patience, or the stream, was over. */
async function deliver(
  reply: FastifyReply,
  event: { id: string; data: unknown },
  ended: AbortSignal,
  patienceMs: number,
): Promise<boolean> {
  if (ended.aborted || reply.raw.destroyed) return false
  const sent = reply.sse.send(event).then(() => true)
  if (!reply.raw.writableNeedDrain) return await sent
  // The library waits for the client for ever, also for one that is gone.
  const taken = new AbortController()
  const given = pause(patienceMs, false, { signal: AbortSignal.any([ended, taken.signal]) }).catch(() => false)
  const isTaken = await Promise.race([sent, given])
  taken.abort()
  return isTaken
}

/** Wakes one who waits, also when it rings before. */
class Bell {
  #rung = new AbortController()

  ring(): void {
    this.#rung.abort()
  }

  reset(): void {
    if (this.#rung.signal.aborted) this.#rung = new AbortController()
  }

  /** Returns when it has rung since the last reset, the time is over, or the signal is aborted. */
  async wait(timeoutMs: number, ended: AbortSignal): Promise<void> {
    await pause(Math.max(0, timeoutMs), undefined, { signal: AbortSignal.any([this.#rung.signal, ended]) }).catch(
      () => undefined,
    )
  }
}
