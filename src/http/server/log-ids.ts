import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the call that it was stored as, which is that of its log entry; null when it is none (yet). */
    callId: string | null
  }
}

/** The ids of what a request is about, as far as they are known: what lines of log and traces may tell. */
export function idsOf({ caller, user, viewer, callId }: FastifyRequest): { companyId?: string; callId?: string } {
  const companyId = caller?.companyId ?? user?.companyId ?? viewer?.companyId
  return { ...(companyId === undefined ? {} : { companyId }), ...(callId === null ? {} : { callId }) }
}
