import type { DoneFuncWithErrOrRes, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { doInTurns } from '#admission/turns'
import { encodeJson, hasLongList } from '#domain/pieces'

/** Writes answers with long lists in pieces, after all other hooks have added to them. Call it before adding routes. */
export function writeLongAnswers(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    route.preSerialization = [...[route.preSerialization ?? []].flat(), writeLong]
  })
}

/** Makes a promise only for a long list: every call pays for this. Fastify takes either. */
function writeLong(_request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes) {
  if (!Array.isArray(payload) && hasLongList(payload as object)) return writeInPieces(reply, payload as object)
  return done(null, payload)
}

async function writeInPieces(reply: FastifyReply, payload: object) {
  const written = await doInTurns(encodeJson(payload))
  // Bytes are sent as they are.
  reply.serializer(() => written as never)
  return payload
}
