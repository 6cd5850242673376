import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the stored call and its log entry; null if it is not stored (yet). */
    callId: string | null
  }
}

/** The known ids of a request's company and call, for log lines and traces. */
export function idsOf({ caller, user, viewer, callId }: FastifyRequest): { companyId?: string; callId?: string } {
  const companyId = caller?.companyId ?? user?.companyId ?? viewer?.companyId
  return { ...(companyId === undefined ? {} : { companyId }), ...(callId === null ? {} : { callId }) }
}
