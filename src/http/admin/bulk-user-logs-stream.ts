import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { BULK_USER_LOGS, listLogEntriesAfter, newestLogPosition } from '../../../projections/bulk-user-logs-queries.ts'
import { readReached } from '../../ledger/read-progress.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { userOf } from '../authorize-user.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import { StreamQuery } from './bulk-user-logs-schemas.ts'
import { openLogWatch, type LogWatch } from './bulk-user-logs-watch.ts'
import { openStreams } from './open-streams.ts'

/** Bounds of the live streams. */
export interface StreamLimits {
  /** Streams that a user may have open at once in this process. */
  perUser: number
  /** How often a stream shows that it lives, and its user's rights are checked again, in milliseconds. */
  heartbeatMs: number
  /** How long a stream lasts; its client opens the next one and misses nothing. In milliseconds. */
  lifeMs: number
}

export interface StreamServices {
  db: Kysely<LedgerTables>
  limits: StreamLimits
  /** Throws when the request's user may not (any more) see the log. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const POLL_MS = 500
const ENTRIES_AT_ONCE = 100
/** How long a client waits before it opens the stream again. */
const RETRY_MS = 1_000

const SCHEMA = {
  operationId: 'streamBulkUserLogs',
  summary: 'Follow Bulk User Logs live (server-sent events)',
  description:
    'Each new entry is one event: its data the entry as in the list, its id the cursor of that entry. The stream begins ' +
    'after the event with the id of `Last-Event-ID`, else after `cursor`, else with what is new. It ends from time to ' +
    'time, and when the rights of its user end: open it again with the last id. Comments show that it is alive.',
  tags: ['Admin'],
  querystring: StreamQuery,
  response: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: Type.String() } } } },
}

type StreamRequest = FastifyRequest<{ Querystring: Static<typeof StreamQuery> }>

/** `GET /admin/v1/bulk-user-logs/stream`. @fastify/sse must be registered before. */
export function bulkUserLogsStream(app: FastifyInstance, services: StreamServices): void {
  const { db, limits } = services
  const streams = openStreams(app, limits.perUser)
  const watch = openLogWatch((companyIds) => readReached(db, companyIds, BULK_USER_LOGS), {
    intervalMs: POLL_MS,
    onError: (error) => app.log.warn({ err: error }, 'the log could not be watched; it is tried again'),
  })
  app.get<{ Querystring: Static<typeof StreamQuery> }>(
    '/bulk-user-logs/stream',
    // Heartbeats of its own: each is a check as well. HEAD would never end.
    { sse: { kind: 'manual', heartbeat: false }, exposeHeadRoute: false, schema: SCHEMA },
    async (request, reply) => {
      const { userId } = userOf(request)
      await streams.run(userId, reply, async (stopping) => {
        const start = await startOf(db as unknown as Kysely<unknown>, request)
        await follow(services, watch, request, reply, start, stopping)
      })
    },
  )
}

/** The position after which a stream begins. */
async function startOf(logs: Kysely<unknown>, request: StreamRequest): Promise<number> {
  const lastId = request.headers['last-event-id']
  if (typeof lastId === 'string' && lastId !== '') return decodeCursor(lastId, 'header Last-Event-ID')
  const { cursor } = request.query
  return cursor === undefined ? newestLogPosition(logs, userOf(request).companyId) : decodeCursor(cursor)
}

/** Sends what comes after a position until the stream ends, for whatever reason; its client resumes from the last id. */
async function follow(
  { db, limits, authorize }: StreamServices,
  watch: LogWatch,
  request: StreamRequest,
  reply: FastifyReply,
  start: number,
  stopping: AbortSignal,
): Promise<void> {
  const { companyId } = userOf(request)
  const over = new AbortController()
  reply.sse.onClose(() => over.abort())
  const life = setTimeout(() => over.abort(), limits.lifeMs)
  const ended = AbortSignal.any([stopping, over.signal])
  const bell = new Bell()
  const stopListening = watch.listen(companyId, () => bell.ring())
  let position = start
  try {
    begin(reply, start)
    let checkAt = performance.now() + limits.heartbeatMs
    while (!ended.aborted && !reply.raw.destroyed) {
      if (performance.now() >= checkAt) {
        await authorize(request, reply)
        reply.raw.write(': still here\n\n')
        checkAt = performance.now() + limits.heartbeatMs
      }
      bell.reset()
      const entries = await listLogEntriesAfter(db as unknown as Kysely<unknown>, companyId, {}, { after: position, limit: ENTRIES_AT_ONCE })
      for (const { position: at, entry } of entries) {
        if (!(await deliver(reply, { id: encodeCursor(at), data: entry }, ended, limits.heartbeatMs))) return
        position = at
      }
      if (entries.length < ENTRIES_AT_ONCE) await bell.wait(checkAt - performance.now(), ended)
    }
  } catch (error) {
    // The status is out; the next attempt of the client is answered with what is wrong.
    request.log.info({ err: error }, 'a stream ended')
  } finally {
    clearTimeout(life)
    stopListening()
    // What a client does not take cannot be ended in good order.
    if (reply.raw.writableNeedDrain) reply.raw.destroy()
  }
}

/** Sends the head of the answer, and the id to resume from should the stream end before its first event. */
function begin(reply: FastifyReply, start: number): void {
  void reply.header('connection', 'close')
  reply.sse.sendHeaders()
  reply.raw.write(`retry: ${RETRY_MS}\nid: ${encodeCursor(start)}\n\n`)
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
    await pause(Math.max(0, timeoutMs), undefined, { signal: AbortSignal.any([this.#rung.signal, ended]) }).catch(() => undefined)
  }
}
