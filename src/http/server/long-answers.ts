import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { doInTurns } from '#admission/turns'
import { encodeJson, hasLongList } from '#domain/pieces'

/** Writes answers with long lists in pieces, after all other hooks have added to them. Call it before registering routes. */
export function writeLongAnswers(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    route.preSerialization = [...[route.preSerialization ?? []].flat(), writeLong]
  })
}

async function writeLong(_request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (Array.isArray(payload) || !hasLongList(payload as object)) return payload
  const written = await doInTurns(encodeJson(payload as object))
  // Bytes are sent as they are.
  reply.serializer(() => written as never)
  return payload
}
