import { databaseTimeMs } from '#postgres/database-clock'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import { cookieName, cookieOptions, type SessionSettings } from './session.ts'

/** A cookie whose value only the service can read or make, for a step that ends soon. */
export interface SealedCookie<Value> {
  /** Throws UnreadableSecretError if the service has no key for secrets. */
  set(reply: FastifyReply, value: Value): void
  /** The value; null if there is none, or it is too old or was not made here. */
  read(request: FastifyRequest): Value | null
  clear(reply: FastifyReply): void
}

/** Opens a cookie of this name. It is encrypted (AES-256-GCM), so that it needs no row until the step is finished. */
export function createSealedCookie<Value>(
  { providers: { secrets }, sessions }: { providers: { secrets: SecretBox }; sessions: SessionSettings },
  step: string,
  lifeSeconds: number,
): SealedCookie<Value> {
  const name = cookieName(sessions, step)
  const attributes = cookieOptions(sessions)
  return {
    set(reply, value) {
      const expiresAt = databaseTimeMs() + lifeSeconds * 1_000
      const sealed = secrets.encrypt(JSON.stringify({ value, expiresAt }), `cookie ${name}`).toString('base64url')
      void reply.setCookie(name, sealed, { ...attributes, maxAge: lifeSeconds })
    },
    read(request) {
      const sealed = request.cookies[name]
      if (sealed === undefined) return null
      try {
        const text = secrets.decrypt(Buffer.from(sealed, 'base64url'), `cookie ${name}`)
        const { value, expiresAt } = JSON.parse(text) as { value: Value; expiresAt: number }
        return expiresAt > databaseTimeMs() ? value : null
      } catch (error) {
        if (error instanceof UnreadableSecretError) return null
        throw error
      }
    },
    clear(reply) {
      void reply.clearCookie(name, attributes)
    },
  }
}
