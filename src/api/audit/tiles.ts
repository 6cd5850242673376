import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { FULL_WIDTH, readEntries, readTile, type TilePlace } from '../../ledger/read/read-tiles.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { STREAMED_ROUTE } from '../../http/access/heavy-reads.ts'
import { ProblemError } from '../../http/server/problem.ts'
import type { AuditServices } from './audit-services.ts'
import { signOrExplain } from './checkpoint.ts'

const PREFIX = '/tlog/:company_id'
/** A tile never changes. Only the client itself may keep it, because it is for users of the company. */
const FOREVER = 'private, max-age=31536000, immutable'
const MAX_LEVEL = 63

interface Path {
  company_id: string
  level: string
  '*': string
}

/**
 * `GET /audit/v1/tlog/{company_id}/…`: the ledger in the form of https://c2sp.org/tlog-tiles, for clients of other
 * transparency logs. The paths are that specification's, so they are not in the OpenAPI document.
 */
export function tiles(app: FastifyInstance, { db, signer }: AuditServices): void {
  const schema = { hide: true }

  app.get<{ Params: Path }>(`${PREFIX}/checkpoint`, { schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const { note, witnessed } = await signOrExplain(request, () => signer.sign(db, companyId))
    // Clients with a policy can use no other one.
    return reply.type('text/plain; charset=utf-8').send(witnessed?.note ?? note)
  })

  app.get<{ Params: Path }>(`${PREFIX}/tile/entries/*`, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const place = parsePlace(request.params['*'])
    return sendTile(reply, place && (await readEntries(db, companyId, place)))
  })

  app.get<{ Params: Path }>(`${PREFIX}/tile/:level/*`, { schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const [level, place] = [parseLevel(request.params.level), parsePlace(request.params['*'])]
    return sendTile(reply, level === null || !place ? null : await readTile(db, companyId, level, place))
  })
}

/** The company in the path, which must be that of the user. To others, it does not exist. */
function requireOwn(request: FastifyRequest<{ Params: Path }>): string {
  const { companyId } = userOf(request)
  if (request.params.company_id !== companyId) throw nothingHere()
  return companyId
}

function sendTile(reply: FastifyReply, tile: Buffer | null): FastifyReply {
  if (!tile) throw nothingHere()
  return reply.header('cache-control', FOREVER).type('application/octet-stream').send(tile)
}

function nothingHere(): ProblemError {
  return new ProblemError(problem('route_not_found', 'There is nothing at this address'))
}

function parseLevel(text: string): number | null {
  return /^(?:0|[1-9][0-9]?)$/.test(text) && Number(text) <= MAX_LEVEL ? Number(text) : null
}

/** Parses the number of a tile and its width: `x001/x234/067` is tile 1,234,067, `000.p/5` the first 5 of tile 0. */
function parsePlace(path: string): TilePlace | null {
  const [, outer = '', last, width] = /^((?:x[0-9]{3}\/){0,4})([0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path) ?? []
  if (last === undefined || outer.startsWith('x000') || Number(width ?? 0) >= FULL_WIDTH) return null
  return {
    number: Number(outer.replaceAll(/[x/]/g, '') + last),
    width: width === undefined ? FULL_WIDTH : Number(width),
  }
}
