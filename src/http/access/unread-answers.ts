import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { quarterOf } from '#admission/budget'
import { tooMany } from './rate-limits.ts'

/** Bytes of answers that may wait for their readers, in all and for one company. */
const TOTAL_BYTES = 128 * 1_048_576
const COMPANY_BYTES = quarterOf(TOTAL_BYTES)
/** A smaller answer fits into the buffers of its connection. */
const SMALL = 65_536
const RETRY_AFTER_SECONDS = 1

/**
 * Bounds the memory of answers that clients are slow to read: while those of a company have its share, its next GET gets
 * 429. Whoever reads nothing of such an answer for `stillMs` to twice as long is disconnected. What changes something is
 * done and answered: bodies have a budget of their own, until their answers are read. Call it after the hook that
 * compresses.
 */
export function boundUnreadAnswers(app: FastifyInstance, stillMs: number) {
  const unread = new Map<string, number>()
  let ofAll = 0

  app.addHook('preHandler', (request, reply, done) => {
    const company = request.method === 'GET' ? findCompany(request) : undefined
    const bytes = (company !== undefined && unread.get(company)) || 0
    if (bytes >= COMPANY_BYTES || (bytes > 0 && ofAll >= TOTAL_BYTES)) return done(refuseReader(reply))
    done()
  })

  function add(company: string, bytes: number) {
    const left = (unread.get(company) ?? 0) + bytes
    if (left > 0) unread.set(company, left)
    else unread.delete(company)
    ofAll += bytes
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
    const company = bytes >= SMALL && request.method === 'GET' ? findCompany(request) : undefined
    if (company !== undefined && !reply.raw.closed) {
      add(company, bytes)
      reply.raw.once('close', () => add(company, -bytes))
      reply.raw.setTimeout(stillMs, () => disconnectReader(request.raw.socket))
    }
    done(null, payload)
  })
}

/** Disconnects whoever has stopped reading. Nothing waits to be sent while the service itself takes long. */
export function disconnectReader(socket: Socket) {
  if (socket.writableLength > 0) socket.destroy()
}

/**
 * The company that reads. What others may read fits into the buffers of their connections, and behind a proxy all of them
 * may seem to be one.
 */
function findCompany({ caller, user, viewer }: FastifyRequest): string | undefined {
  return (caller ?? user ?? viewer)?.companyId
}

function refuseReader(reply: FastifyReply): Error {
  const detail = 'Too many answers are waiting to be read; read those first'
  return tooMany(reply, 'unread-answers', RETRY_AFTER_SECONDS, detail)
}
