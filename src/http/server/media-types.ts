import { createHash } from 'node:crypto'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { doInTurns } from '#admission/turns'
import { limitsOfCall, limitsOfWhole, parseInPieces } from '#bodies/json-body'
import { problemError } from './problem.ts'
import { announcedBytes, DEFAULT_BODY_LIMIT, followService, readBody } from './read-body.ts'

export const JSON_TYPES = ['application/json'] as const
/** RFC 7396 section 4; plain JSON is also accepted as a merge patch. */
export const MERGE_PATCH_TYPES = ['application/json', 'application/merge-patch+json'] as const

/** The methods whose bodies are not read. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media types that the route accepts: by default, those of a merge patch. */
    mediaTypes?: readonly string[]
    /** The values that a body without records may have at most, which is read at once, as a whole. */
    maxValues?: number
  }
  interface FastifyRequest {
    /** SHA-256 of the raw body, in hexadecimal; empty without an idempotency key. */
    bodyHash: string
    /** Length of the raw body in bytes; 0 if none was read. */
    bodyBytes: number
    /** The raw body, for a call that keeps what it could not read; null if none was read, or once it is not needed. */
    sentBody: Buffer | null
  }
}

/**
 * Lets routes accept JSON bodies of the media types that they name, and no others. `types` are those that any route may
 * name. A call has at most `maxRecords` records.
 */
export function acceptJsonBodies(app: FastifyInstance, maxRecords: number, types: readonly string[]) {
  app.decorateRequest('bodyHash', '')
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('sentBody', null)
  app.decorateRequest('reserveBody', null)
  const whileServed = followService(app)
  app.removeAllContentTypeParsers()
  const known = [...new Set([...MERGE_PATCH_TYPES, ...types])]
  app.addContentTypeParser(known, async (request: FastifyRequest, payload: IncomingMessage) => {
    // Only calls that may be retried need the hash.
    const hash = request.headers['idempotency-key'] === undefined ? null : createHash('sha256')
    const body = await readBody(request, payload, hash)
    request.bodyBytes = body.length
    assertMediaType(request)
    request.sentBody = body
    // Many clients name a type for what they don't send.
    if (body.length === 0 && acceptsNoBody(request)) return undefined
    if (hash) request.bodyHash = hash.digest('hex')
    const { maxValues } = request.routeOptions.config
    const limits = maxValues === undefined ? limitsOfCall(maxRecords) : limitsOfWhole(maxValues)
    const read = (signal?: AbortSignal) => doInTurns(parseInPieces(body, limits), signal)
    return body.length <= DEFAULT_BODY_LIMIT ? read() : whileServed(request, read)
  })
  // Some clients name the type of a form for a POST without a body, such as `curl -d ''`.
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    if (announcedBytes(request) !== 0 || !acceptsNoBody(request)) assertMediaType(request)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.isBodyOptional) request.body = {}
    done()
  })
}

function acceptsNoBody({ routeOptions: { schema } }: FastifyRequest) {
  return schema?.isBodyOptional === true || schema?.body === undefined
}

/** Refuses compressed bodies (RFC 9110 section 15.5.16) before they are read. */
export function refuseCompressedBodies(app: FastifyInstance) {
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (isPlain(request) || WITHOUT_BODY.has(request.method) || announcedBytes(request) === 0) return done()
    done(problemError('unsupported_media_type', 'The body must be sent without a Content-Encoding'))
  })
  // Not earlier: a call whose key turns out to be disabled gets another answer.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.statusCode === UNSUPPORTED && !isPlain(request)) void reply.header('accept-encoding', 'identity')
    done()
  })
}

const UNSUPPORTED = 415

function isPlain({ headers }: FastifyRequest) {
  return /^(?:identity)?$/i.test(headers['content-encoding'] ?? '')
}

function assertMediaType(request: FastifyRequest) {
  const { mediaTypes = MERGE_PATCH_TYPES } = request.routeOptions.config as FastifyContextConfig
  const sent = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (sent !== undefined && mediaTypes.includes(sent)) return
  const types = mediaTypes.join(' or ')
  throw problemError('unsupported_media_type', `The Content-Type of the body must be ${types}`)
}

/** Whether a client asks for pages, as browsers do. */
export function acceptsPages({ headers: { accept = '' } }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(accept)
}
