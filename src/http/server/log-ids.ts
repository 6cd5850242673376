import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the stored call and of its log entry; null if there is none (yet). */
    callId: string | null
  }
}

/** Returns the known ids of a request that logs and traces may contain. */
export function idsOf({ caller, user, viewer, callId }: FastifyRequest): { companyId?: string; callId?: string } {
  const companyId = caller?.companyId ?? user?.companyId ?? viewer?.companyId
  return { ...(companyId === undefined ? {} : { companyId }), ...(callId === null ? {} : { callId }) }
}
