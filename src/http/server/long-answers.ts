import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { doInTurns } from '#admission/turns'
import { hasLongList, writeJson } from '#domain/pieces'

/** Writes answers with long lists in pieces, after all other hooks have added to them. Call it before adding routes. */
export function writeLongAnswers(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    route.preSerialization = [...[route.preSerialization ?? []].flat(), writeLong]
  })
}

/** Makes a promise only for a long text: every call pays for this. Fastify takes either. */
function writeLong(_request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes) {
  if (Array.isArray(payload) || !hasLongList(payload as object)) return done(null, payload)
  const work = writeJson(payload as object)
  const { done: isWritten, value } = work.next()
  if (!isWritten) return writeRest(reply, payload, work)
  sendWritten(reply, value)
  return done(null, payload)
}

async function writeRest(reply: FastifyReply, payload: unknown, work: ReturnType<typeof writeJson>) {
  sendWritten(reply, await doInTurns(work))
  return payload
}

/** Bytes, and a text that is JSON, are sent as they are. */
function sendWritten(reply: FastifyReply, written: string | Buffer) {
  reply.serializer(() => written as never)
}
