import { createHmac, hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import type { Idempotency } from '../../domain/calls/earlier-call.ts'
import { callerOf } from '../access/authenticate.ts'
import { preconditionsOf } from '../server/preconditions.ts'
import { ProblemError } from '../server/problem.ts'

/** 1 to 255 visible ASCII characters. */
const VALID = /^[\x21-\x7e]{1,255}$/

/**
 * The `Idempotency-Key` of a writing call (draft-ietf-httpapi-idempotency-key-header-07), hashed, and the hash of the
 * request that carries it: method, path, body, and conditions; null when there is none. The media type and other
 * parameters don't change what a request means. The key is hashed under the company's secret: clients make keys of
 * what they send, and these hashes are kept for ever. Throws a problem with `idempotency_key_invalid`.
 */
export function idempotencyOf(request: FastifyRequest): Idempotency | null {
  const sent = request.raw.headersDistinct['idempotency-key']
  if (!sent) return null
  const [key] = sent
  if (sent.length !== 1 || key === undefined || !VALID.test(key)) {
    const detail = 'Idempotency-Key must appear once and have 1 to 255 visible ASCII characters'
    throw new ProblemError(problem('idempotency_key_invalid', detail))
  }
  const [path] = request.url.split('?', 1)
  const { hashKey, key: apiKey } = callerOf(request)
  const keyHash = createHmac('sha256', hashKey).update(`${apiKey.id} ${key}`).digest('hex')
  const { ifMatch, ifNoneMatch } = preconditionsOf(request)
  const conditions = [
    ...(ifMatch === undefined ? [] : [`\nif-match ${ifMatch}`]),
    ...(ifNoneMatch === undefined ? [] : [`\nif-none-match ${ifNoneMatch}`]),
  ].join('')
  return { keyHash, requestHash: hash('sha256', `${request.method} ${path}\n${request.bodyHash}${conditions}`, 'hex') }
}
