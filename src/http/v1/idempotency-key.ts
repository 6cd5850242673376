import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from '../problem.ts'

/** 1 to 255 visible ASCII characters. */
const VALID = /^[\x21-\x7e]{1,255}$/

/**
 * The `Idempotency-Key` of a writing call (draft-ietf-httpapi-idempotency-key-header-07), hashed, and the hash of the
 * request that carries it; null when there is none. Throws a problem with `idempotency_key_invalid`.
 */
export function idempotencyOf(request: FastifyRequest): { keyHash: string; fingerprint: string } | null {
  const sent = request.raw.headersDistinct['idempotency-key']
  if (!sent) return null
  const [key] = sent
  if (sent.length !== 1 || key === undefined || !VALID.test(key)) {
    const detail = 'Idempotency-Key must stand once and have 1 to 255 visible ASCII characters'
    throw new ProblemError(problem('idempotency_key_invalid', detail))
  }
  const [path] = request.url.split('?', 1)
  const fingerprint = hash('sha256', `${request.method} ${path}\n${request.bodyHash}`, 'hex')
  return { keyHash: hash('sha256', key, 'hex'), fingerprint }
}
