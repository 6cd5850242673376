import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Role, TokenScope, TokenScopes } from '#domain/accounts/roles'
import { ADMIN_ONLY, problem, type Problem } from '#domain/errors'
import type { LedgerDb } from '#ledger/tables'
import { findUserOfToken, type SignedInUser, type UserRef } from '#accounts/users/users'
import { invalidCredentials, ProblemError, problemError } from '#http/server/problem'
import { assertSameOrigin, findSessionUser, type SessionSettings, sessionCookie } from './session.ts'
import type { Pool } from 'pg'
import { type Proof, proveAgain } from '#accounts/passkeys/prove-again'
import type { SignInLimits } from './sign-in-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope of tokens that may make the call. Without it, only tokens without scopes may. */
    scope?: TokenScope
  }
  interface FastifyRequest {
    user: SignedInUser | null
  }
}

/**
 * Authenticates company users, of any role, by bearer token (RFC 6750) or, without one, by browser session. Refuses
 * requests made by pages of other sites. A token with scopes is accepted only by routes that
 * allow one of them.
 */
export function authenticateUser(db: LedgerDb, sessions: SessionSettings) {
  return async (request: FastifyRequest, _reply: FastifyReply) => {
    const { authorization } = request.headers
    if (authorization === undefined) {
      request.user = await findSessionUser(db, request, sessions, 'peek')
      if (!request.user) throw invalidCredentials(NO_TOKEN)
      return assertSameOrigin(request, sessions)
    }
    if (!/^Bearer /i.test(authorization)) throw invalidCredentials(NO_TOKEN)
    const [, token] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization) ?? []
    const tokenOwner = token === undefined ? null : await findUserOfToken(db, token)
    request.user = tokenOwner && tokenOwner.user
    userOf(request)
    assertScope(tokenOwner?.scopes ?? null, request.routeOptions.config)
  }
}

const NO_TOKEN = 'The request has no header Authorization with Bearer and a token, and no session'

/** Lets tokens with a scope call the routes that are added to this part afterwards. */
export function allowScope(app: FastifyInstance, scope: TokenScope): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, scope }
  })
}

function assertScope(given: TokenScopes, { scope: needed }: FastifyContextConfig) {
  if (given === null || (needed !== undefined && given.includes(needed))) return
  const need = needed === undefined ? 'no token with scopes may make this call' : `this call needs ${needed}`
  throw problemError('role_required', `This token is only for ${given.join(' and ')}; ${need}`)
}

/** Requires a browser session, and refuses tokens with this text. Runs after `authenticateUser`. */
export function requireSession(detail: string) {
  return async (request: FastifyRequest, _reply: FastifyReply) => {
    if (request.headers.authorization !== undefined) throw problemError('session_required', detail)
  }
}

/** The refusal of what requires one of these roles. */
export function refuseOtherRoles(what: string, roles: readonly Role[]): Problem {
  const isAdminOnly = roles.every((role) => role === 'admin')
  return isAdminOnly ? ADMIN_ONLY : problem('role_required', `${what} requires the role ${roles.join(' or ')}`)
}

/** Requires one of these roles. Runs after `authenticateUser`. */
export function requireRole(roles: readonly Role[]) {
  const refusal = refuseOtherRoles('This', roles)
  return async (request: FastifyRequest, _reply: FastifyReply) => {
    if (!roles.includes(userOf(request).role)) throw new ProblemError(refusal)
  }
}

/** Authenticates a user and requires one of these roles. */
export function authorizeRoles(db: LedgerDb, sessions: SessionSettings, roles: readonly Role[]) {
  const [authenticate, assertRole] = [authenticateUser(db, sessions), requireRole(roles)]
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await authenticate(request, reply)
    await assertRole(request, reply)
  }
}

/** The authenticated user of a request. Throws `invalid_credentials` if there is none. */
export function userOf(request: FastifyRequest): SignedInUser {
  if (!request.user) throw invalidCredentials()
  return request.user
}

export interface ProofServices {
  company: { pool: Pool }
  sessions: SessionSettings
  signIns: SignInLimits
}

/** Checks whether the session of a request and a password prove who somebody is, within the limits of signing in. */
export function checkProof(
  { company, sessions, signIns }: ProofServices,
  reply: FastifyReply,
  owner: UserRef,
  password: string,
): Promise<Proof> {
  return signIns.attempt(reply, {
    kind: 'proof in a session',
    whose: owner.userId,
    check: () => proveAgain(company.pool, owner, { password, cookie: sessionCookie(reply.request, sessions) }),
    hasFailed: (proof) => proof === 'wrong password',
  })
}
