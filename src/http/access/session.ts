import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSerializeOptions } from '@fastify/cookie'
import { companyOfSecret } from '#domain/accounts/secrets'
import { isId } from '#domain/ids'
import { findUserOfSession, type NewSession, type SessionUser } from '#accounts/users/sessions'
import type { Acting } from '#accounts/change-company'
import type { UserRef } from '#accounts/users/users'
import type { LedgerDb } from '#ledger/tables'
import { problemError } from '../server/problem.ts'
import { readAddress } from '#domain/networks'
import { MAX_USER_AGENT, type Client } from '#domain/call-sources'

/** Session settings. */
export interface SessionSettings {
  /** Minutes of inactivity after which a session ends. */
  idleMinutes: number
  /** Maximum hours of a session. */
  hours: number
  /** The URL at which browsers reach the service, without a path; null if unknown. */
  publicUrl: string | null
  /** The port on which this process listens; 0 if it is any free one. */
  port: number
}

const COOKIE = 'session'
const FORMER = 'signed-out'

export function isSecure({ publicUrl }: Pick<SessionSettings, 'publicUrl'>) {
  return publicUrl?.startsWith('https://') ?? false
}

/**
 * The full name of a cookie. Browsers accept a cookie with this prefix over https only, and for this host and path only
 * (RFC 6265bis section 4.1.3.2). They send it to all ports of the host, so that its name has the port.
 */
export function cookieName(settings: SessionSettings, name: string) {
  const { publicUrl, port } = settings
  const ownPort = publicUrl === null ? String(port || '') : new URL(publicUrl).port
  return withPrefix(settings, ownPort === '' ? name : `${name}-${ownPort}`)
}

function withPrefix(settings: SessionSettings, name: string) {
  return isSecure(settings) ? `__Host-${name}` : name
}

/** The attributes of every cookie. */
export function cookieOptions(settings: SessionSettings): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(settings) }
}

/** The session cookie of a request, unvalidated; null if there is none. */
export function sessionCookie(request: FastifyRequest, settings: SessionSettings): string | null {
  const { cookies } = request
  // 1.1.0 named it without the port.
  return cookies[cookieName(settings, COOKIE)] ?? cookies[withPrefix(settings, COOKIE)] ?? null
}

/**
 * Sets the session cookie. It has no expiry: the browser drops it when it closes, and the database decides when the
 * session ends.
 */
export function setSessionCookie(reply: FastifyReply, settings: SessionSettings, cookie: string): void {
  void reply.setCookie(cookieName(settings, COOKIE), cookie, cookieOptions(settings))
}

/** Clears it. The company of the session stays known, for forms that are open in other tabs. */
export function clearSessionCookie(reply: FastifyReply, settings: SessionSettings, companyId?: string): void {
  void reply.clearCookie(cookieName(settings, COOKIE), cookieOptions(settings))
  if (companyId !== undefined) void reply.setCookie(cookieName(settings, FORMER), companyId, cookieOptions(settings))
}

/** The company of the last session of a browser, which need not be valid; null if it is not known. */
export function findSessionCompany(request: FastifyRequest, settings: SessionSettings): string | null {
  const cookie = sessionCookie(request, settings)
  if (cookie !== null) return companyOfSecret('session', cookie)
  const former = request.cookies[cookieName(settings, FORMER)]
  return isId('com', former) ? former : null
}

/** Describes the session that a request starts. */
export function describeSession(request: FastifyRequest, { hours }: SessionSettings): NewSession {
  const { address, userAgent } = clientOf(request)
  return { hours, userAgent: userAgent ?? '', address }
}

/**
 * The user of a request's session; null if there is no session or it has ended. `touch` counts the request as activity, as
 * opening a page is; `peek` does not, for what a page requests by itself.
 */
export async function findSessionUser(
  db: LedgerDb,
  request: FastifyRequest,
  settings: SessionSettings,
  access: 'touch' | 'peek',
): Promise<SessionUser | null> {
  const cookie = sessionCookie(request, settings)
  return cookie === null
    ? null
    : findUserOfSession(db, cookie, { idleMinutes: settings.idleMinutes, isUse: access === 'touch' })
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the request is a top-level navigation, perhaps from a link on another site. */
export function isFollowedLink(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers
  return SAFE_METHODS.has(request.method) && mode === 'navigate' && dest === 'document'
}

/**
 * Refuses requests that another site made the browser send with our cookie. Uses Fetch Metadata
 * (https://www.w3.org/TR/fetch-metadata/), which browsers send over https and to localhost, and falls back to `Origin`.
 * That must be PUBLIC_URL, as proxies may change `Host`; if PUBLIC_URL is unset, its host must be the one asked for.
 * Throws `cross_site_request`.
 */
export function assertSameOrigin(request: FastifyRequest, { publicUrl }: SessionSettings): void {
  const { 'sec-fetch-site': site, origin, host } = request.headers
  const isSafe = SAFE_METHODS.has(request.method)
  if (site === 'same-origin' || (isSafe && site === 'none')) return
  const isForeign = site !== undefined || (origin === undefined ? !isSafe : !isOwn(origin, publicUrl, host))
  if (isForeign) throw problemError('cross_site_request', 'The request came from another site')
}

function isOwn(origin: string, publicUrl: string | null, host: string | undefined) {
  if (!URL.canParse(origin)) return false
  const from = new URL(origin)
  return publicUrl === null ? from.host === host : from.origin === new URL(publicUrl).origin
}

/** From where a request was sent: by the connection or, behind a trusted proxy, by what the proxy says. */
export function clientOf({ ip, headers }: FastifyRequest): Client {
  // A closed connection has no address, which the type does not say.
  const sentFrom = (ip as string | undefined) ?? ''
  return {
    address: readAddress(sentFrom) ?? sentFrom,
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  }
}

/** Finds the base URL of the service: as configured, or else as this request reached it. */
export function findBaseUrl(request: FastifyRequest, { publicUrl }: SessionSettings): string {
  if (publicUrl !== null) return publicUrl
  // The URL is shown in shell commands: accept only a host and a port.
  const host = /^[A-Za-z0-9._-]+(?::\d+)?$|^\[[0-9A-Fa-f:.]+\](?::\d+)?$/.test(request.host)
    ? request.host
    : 'localhost'
  return `${request.protocol}://${host}`
}

/** Makes the user who sent a request the actor of a change. */
export function actAs(request: FastifyRequest, { companyId, userId }: UserRef): Acting {
  return { companyId, actor: userId, traceparent: request.trace?.traceparent ?? null, client: clientOf(request) }
}
