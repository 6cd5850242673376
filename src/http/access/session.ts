import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { problem } from '../../domain/errors.ts'
import type { SessionUser } from '../../accounts/users/sessions.ts'
import { findUserOfSession } from '../../accounts/users/sessions.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { ProblemError } from '../server/problem.ts'

/** How sessions are kept, from the settings. */
export interface SessionSettings {
  /** Minutes without a page after which a session ends. */
  idleMinutes: number
  /** Hours after which a session ends in any case. */
  hours: number
  /** The address under which browsers reach the service, without a path; null when it is not known. */
  publicUrl: string | null
}

const PLAIN_COOKIE = 'session'
/** Browsers take a cookie of this name from https alone, and from no other host or path (RFC 6265bis, section 4.1.3.2). */
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

/** The cookie of a request's session, whatever it holds; null when there is none. */
export function sessionCookie(request: FastifyRequest, settings: SessionSettings): string | null {
  return request.cookies[cookieName(settings)] ?? null
}

/** Gives the browser the cookie of a session. It ends with the browser, and in the database before. */
export function setSessionCookie(reply: FastifyReply, settings: SessionSettings, cookie: string): void {
  void reply.setCookie(cookieName(settings), cookie, cookieOptions(settings))
}

export function clearSessionCookie(reply: FastifyReply, settings: SessionSettings): void {
  void reply.clearCookie(cookieName(settings), cookieOptions(settings))
}

/**
 * The user of a request's session; null when it has none, or it has ended. A page that was opened is something done in
 * the session; what a page asks for by itself is not.
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

/** Whether a link was followed, perhaps from another site, to a whole page: nothing is framed or embedded. */
export function isFollowedLink(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers
  return SAFE_METHODS.has(request.method) && mode === 'navigate' && dest === 'document'
}

/**
 * Refuses a request that another site has made a browser send along with our cookie: by Fetch Metadata
 * (https://www.w3.org/TR/fetch-metadata/), which browsers send to https and to this machine, and by `Origin` where it is
 * missing. Throws a problem with `cross_site_request`.
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
