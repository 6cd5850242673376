import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { problem } from '../../domain/errors.ts'
import type { SessionUser } from '../../accounts/users/sessions.ts'
import { findUserOfSession } from '../../accounts/users/sessions.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { ProblemError } from '../server/problem.ts'

/** Session settings. */
export interface SessionSettings {
  /** Idle minutes after which a session ends. */
  idleMinutes: number
  /** Maximum hours of a session. */
  hours: number
  /** The public origin of the service; null if unknown. */
  publicUrl: string | null
}

const PLAIN_COOKIE = 'session'
/** Browsers accept a cookie with this prefix only over https, from this host and path (RFC 6265bis, section 4.1.3.2). */
const SECURE_COOKIE = '__Host-session'

export function isSecure({ publicUrl }: SessionSettings): boolean {
  return publicUrl?.startsWith('https://') ?? false
}

function cookieName(settings: SessionSettings): string {
  return isSecure(settings) ? SECURE_COOKIE : PLAIN_COOKIE
}

function cookieOptions(settings: SessionSettings): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(settings) }
}

/** Returns the session cookie of a request, unverified; null if absent. */
export function sessionCookie(request: FastifyRequest, settings: SessionSettings): string | null {
  return request.cookies[cookieName(settings)] ?? null
}

/** Sets the session cookie. It lasts until the browser closes; the session may end earlier in the database. */
export function setSessionCookie(reply: FastifyReply, settings: SessionSettings, cookie: string): void {
  void reply.setCookie(cookieName(settings), cookie, cookieOptions(settings))
}

export function clearSessionCookie(reply: FastifyReply, settings: SessionSettings): void {
  void reply.clearCookie(cookieName(settings), cookieOptions(settings))
}

/**
 * Finds the user of a request's session; null if there is none or it has ended. Opening a page counts as use of the
 * session (`isUse`); background requests of a page do not.
 */
export async function findSessionUser(
  db: LedgerDb,
  request: FastifyRequest,
  settings: SessionSettings,
  isUse: boolean,
): Promise<SessionUser | null> {
  const cookie = sessionCookie(request, settings)
  return cookie === null ? null : findUserOfSession(db, cookie, { idleMinutes: settings.idleMinutes, isUse })
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the request is a top-level navigation, possibly from another site; not a frame or subresource. */
export function isFollowedLink(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers
  return SAFE_METHODS.has(request.method) && mode === 'navigate' && dest === 'document'
}

/**
 * Refuses cross-site requests that carry the session cookie. Uses Fetch Metadata
 * (https://www.w3.org/TR/fetch-metadata/), which browsers send over https and to localhost, and falls back to `Origin`.
 * Throws `cross_site_request`.
 */
export function assertSameOrigin(request: FastifyRequest): void {
  const { 'sec-fetch-site': site, origin, host } = request.headers
  const isSafe = SAFE_METHODS.has(request.method)
  if (site === 'same-origin' || (isSafe && site === 'none')) return
  const isForeign = site !== undefined || (origin === undefined ? !isSafe : !isOfHost(origin, host))
  if (isForeign) throw new ProblemError(problem('cross_site_request', 'The request came from another site'))
}

function isOfHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}
