import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import { problem } from '../domain/errors.ts'
import type { LedgerTables } from '../ledger/tables.ts'
import type { SignedInUser } from '../ledger/users.ts'
import { findUserOfToken } from '../ledger/users.ts'
import { invalidCredentials, ProblemError } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    user: SignedInUser | null
  }
}

/** Lets in company users with a bearer token (RFC 6750) who are administrators. */
export function authorizeAdmin(db: Kysely<LedgerTables>) {
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? []
    request.user = token === undefined ? null : await findUserOfToken(db, token)
    const { role } = userOf(request)
    if (role !== 'admin') throw new ProblemError(problem('admin_only', 'only administrators of the company may do this'))
  }
}

/** The user of a route behind an authorisation. */
export function userOf(request: FastifyRequest): SignedInUser {
  if (!request.user) throw invalidCredentials()
  return request.user
}
