import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import { idsOf } from '#http/server/access-log'
import { tooMany } from '#http/access/rate-limits'
import type { UserRef } from '#accounts/users/users'
import { createBudget } from '#admission/budget'

/** Bounds of the live streams. */
export interface StreamLimits {
  /** Maximum open streams of a user in this process. */
  perUser: number
  /** Maximum open streams of all users of a company in this process. */
  perCompany: number
  /** Interval of heartbeats and checks of the user's rights, in milliseconds. */
  heartbeatMs: number
  /** Lifetime of a stream, in milliseconds. The client reconnects and misses nothing. */
  lifeMs: number
}

/** The events after a position, in order. */
export interface LiveEvents {
  events: { position: number; data: unknown }[]
  /** The last position that was read. */
  reached: number
  /** Whether more events are available. */
  isMore: boolean
}

/** The source of a stream. */
interface LiveSource {
  readAfter(position: number): Promise<LiveEvents>
  /** Calls back when there may be new events. Returns a function to stop listening. */
  listen(onMoved: () => void): () => void
  /** Returns the id from which a client resumes after a position. */
  idOf(position: number): string
  /** Throws if the user of the request may not, or may no longer, see the events. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** How long a client waits before it reconnects. */
const RETRY_MS = 1_000

/**
 * Sends the events after a position until the stream ends; the client resumes from the last id. Checks the user's rights
 * before each page of events, so a stream ends before its next event once the user loses access.
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
  let moved = new AbortController()
  const stopListening = source.listen(() => moved.abort())
  let position = start
  try {
    begin(reply, formatHeartbeat(source.idOf(start), limits))
    let checkAt = performance.now() + limits.heartbeatMs
    while (!ended.aborted && !reply.raw.destroyed) {
      if (performance.now() >= checkAt) {
        await source.authorize(request, reply)
        // The id advances past filtered events too.
        reply.raw.write(`: still here\n${formatHeartbeat(source.idOf(position), limits)}`)
        checkAt = performance.now() + limits.heartbeatMs
      }
      // What moves from here on ends the wait, even if it does so before the wait begins.
      moved = new AbortController()
      const { events, reached, isMore } = await source.readAfter(position)
      // Check after reading: the user may have been removed while a slow page was read.
      if (events.length > 0) await source.authorize(request, reply)
      for (const { position: at, data } of events) {
        if (!(await deliver(reply, { id: source.idOf(at), data }, ended, limits.heartbeatMs))) return
        position = at
      }
      position = reached
      if (!isMore) await waitFor(checkAt - performance.now(), AbortSignal.any([moved.signal, ended]))
    }
  } catch (error) {
    // The status has been sent; the client gets the error when it reconnects.
    request.log.info({ err: error, ...idsOf(request) }, 'a stream ended')
  } finally {
    clearTimeout(life)
    stopListening()
    // A client that does not read cannot be closed gracefully.
    if (reply.raw.writableNeedDrain) reply.raw.destroy()
  }
}

/** An event that tells scripts, which can't see comments, that the connection works, and when to expect the next one. */
function formatHeartbeat(id: string, { heartbeatMs }: StreamLimits) {
  return `event: heartbeat\nid: ${id}\ndata: {"interval_ms":${heartbeatMs}}\n\n`
}

/** Sends the headers, and the id to resume from if the stream ends before its first event. */
function begin(reply: FastifyReply, heartbeat: string) {
  void reply.header('connection', 'close')
  reply.sse.sendHeaders()
  reply.raw.write(`retry: ${RETRY_MS}\n${heartbeat}`)
}

/** Sends an event. Returns false if the client did not receive it in time or the stream ended. */
async function deliver(
  reply: FastifyReply,
  event: { id: string; data: unknown },
  ended: AbortSignal,
  patienceMs: number,
) {
  if (ended.aborted || reply.raw.destroyed) return false
  const sent = reply.sse.send(event).then(() => true)
  if (!reply.raw.writableNeedDrain) return await sent
  // The library would wait forever, even for a disconnected client.
  const accepted = new AbortController()
  const given = pause(patienceMs, false, { signal: AbortSignal.any([ended, accepted.signal]) }).catch(() => false)
  const isTaken = await Promise.race([sent, given])
  accepted.abort()
  return isTaken
}

/** Resolves when the time has passed, or the signal is aborted. */
async function waitFor(timeMs: number, signal: AbortSignal) {
  await pause(Math.max(0, timeMs), undefined, { signal }).catch(() => undefined)
}

const RETRY_AFTER_SECONDS = 5

/** The open streams of this process. */
export interface OpenStreams {
  /**
   * Runs a stream. Throws a 429 if the user, or the company, has too many open. The signal is aborted when the server
   * stops.
   */
  run(owner: UserRef, reply: FastifyReply, stream: (stopping: AbortSignal) => Promise<void>): Promise<void>
}

interface MaxStreams {
  perUser: number
  perCompany: number
}

/** Limits streams by user and by company. Ends them when the server stops, which would otherwise wait for them forever. */
export function createOpenStreams(app: FastifyInstance, { perUser, perCompany }: MaxStreams): OpenStreams {
  const places = { ofUsers: createBudget({ share: perUser }), ofCompanies: createBudget({ share: perCompany }) }
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  app.addHook('preClose', async () => {
    stopping.abort()
    await Promise.allSettled(running)
  })
  const refuse = (reply: FastifyReply, whose: string, most: number) =>
    tooMany(reply, 'streams', RETRY_AFTER_SECONDS, `A ${whose} can have at most ${most} streams open at once`)

  /** Takes a place of the user and one of the company. Returns the function that releases them. */
  function takePlaces({ companyId, userId }: UserRef, reply: FastifyReply) {
    const releaseUser = places.ofUsers.tryAcquire(userId, 1)
    if (!releaseUser) throw refuse(reply, 'user', perUser)
    const releaseCompany = places.ofCompanies.tryAcquire(companyId, 1)
    if (!releaseCompany) {
      releaseUser()
      throw refuse(reply, 'company', perCompany)
    }
    return () => {
      releaseUser()
      releaseCompany()
    }
  }

  return {
    async run(owner, reply, stream) {
      const release = takePlaces(owner, reply)
      const run = stream(stopping.signal)
      running.add(run)
      try {
        await run
      } finally {
        running.delete(run)
        release()
      }
    },
  }
}
