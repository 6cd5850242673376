import type { FastifyRequest } from 'fastify'
import { answerRefusal } from '#domain/calls/answer-call'
import type { CallProtocol } from '#domain/calls/call-protocol'

declare module 'fastify' {
  interface FastifyInstance {
    /** The protocols that the API speaks. The path of a request says which. */
    protocols: readonly Protocol[]
  }
}

/** The form in which a part of the API answers, also what no route of it has seen: 401, 404, 405, 413, 415. */
export interface Protocol extends Pick<CallProtocol, 'refuse'> {
  /** The beginning of all paths of the part, without the slash behind it. */
  prefix: string
  /** The `WWW-Authenticate` of a 401 (RFC 9110 section 11.6.1). */
  challenge: string
  /** The media type of answers that are no refusals. */
  answerType: string
  refusalType: string
}

/** Problem documents (RFC 9457), to users who present a token: the form of all other parts, and of pages. */
export const PROBLEM_DOCUMENTS: Omit<Protocol, 'prefix'> = {
  challenge: 'Bearer realm="employee-ledger"',
  answerType: 'application/json; charset=utf-8',
  refusalType: 'application/problem+json; charset=utf-8',
  refuse: answerRefusal,
}

/** The protocol of a request to the API, by its route or else its path; undefined if it is one to a page. */
export function findProtocol({ server, routeOptions, url }: FastifyRequest): Protocol | undefined {
  const path = routeOptions.url ?? decodePath(url)
  return server.protocols.find(({ prefix }) => path.startsWith(prefix) && ENDS.has(path[prefix.length]))
}

/** What may follow a prefix. */
const ENDS: ReadonlySet<string | undefined> = new Set(['/', '?', undefined])

/** Decodes a path as the router does. Returns it unchanged if it can't be decoded. */
function decodePath(url: string): string {
  try {
    return decodeURI(url)
  } catch {
    return url
  }
}
