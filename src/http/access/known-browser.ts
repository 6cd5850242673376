import { timingSafeEqual, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { describeKnownUser, findKnownUsers, KNOWN_DAYS, type RememberedUser } from '#accounts/sign-in/known-users'
import { readSignInKey, signWithKey } from '#accounts/users/password'
import type { UserRef } from '#accounts/users/users'
import { databaseTimeMs } from '#postgres/database-clock'
import { cookieName, cookieOptions, type SessionSettings } from './session.ts'

/*
 * Which users have signed in from a browser, in a signed cookie, as OWASP's "device cookies" are: guesses from elsewhere
 * do not keep these users out. It signs nobody in.
 */

const NAME = 'known-browser'
/** Users that a browser remembers: the last ones. Their cookie has less than 3 KiB of the 4 that browsers keep. */
const MAX_USERS = 20

interface Cookie {
  /** Names the browser. */
  id: string
  /** The latest sign-in first. */
  users: RememberedUser[]
}

/** A browser from which users have signed in before who still have the same password. */
export interface KnownBrowser {
  /** What its failed sign-ins count for. */
  key: string
  /** The latest sign-in first. */
  users: UserRef[]
}

interface BrowserServices {
  accessPool: Pool
  sessions: SessionSettings
}

/** Remembers a user who has signed in, in the browser. */
export async function rememberUser(
  { accessPool: pool, sessions }: BrowserServices,
  reply: FastifyReply,
  user: UserRef,
): Promise<void> {
  const { request } = reply
  const key = await readSignInKey(pool)
  const { id, users } = readCookie(key, request, sessions) ?? { id: randomBytes(16).toString('base64url'), users: [] }
  const latest = await describeKnownUser(pool, user, databaseTimeMs())
  const others = users.filter(({ userId }) => userId !== user.userId)
  const cookie: Cookie = { id, users: [latest, ...others].slice(0, MAX_USERS) }
  const maxAge = KNOWN_DAYS * 86_400
  void reply.setCookie(cookieName(sessions, NAME), seal(key, cookie), { ...cookieOptions(sessions), maxAge })
}

/** Finds out which users with this email are known to the browser; null if none are. Asks nothing without the cookie. */
export async function recognizeBrowser(
  { accessPool: pool, sessions }: BrowserServices,
  request: FastifyRequest,
  whose: { email: string } | UserRef,
): Promise<KnownBrowser | null> {
  if (request.cookies[cookieName(sessions, NAME)] === undefined) return null
  const cookie = readCookie(await readSignInKey(pool), request, sessions)
  if (!cookie) return null
  const [email, remembered] =
    'email' in whose
      ? [whose.email, cookie.users]
      : [null, cookie.users.filter(({ userId }) => userId === whose.userId)]
  const users = await findKnownUsers(pool, remembered, { email, now: databaseTimeMs() })
  return users.length === 0 ? null : { key: `browser ${cookie.id} ${email ?? users[0]!.userId}`, users }
}

type Entry = [companyId: string, userId: string, password: string, signedInAt: number]

function seal(key: Buffer, { id, users }: Cookie) {
  const entries = users.map((user): Entry => [user.companyId, user.userId, user.password, user.signedInAt])
  const content = Buffer.from(JSON.stringify([id, entries])).toString('base64url')
  return `${content}.${signatureOf(key, content).toString('base64url')}`
}

/** The content of the cookie; null if there is none, or this installation has not made it. */
function readCookie(key: Buffer, request: FastifyRequest, settings: SessionSettings): Cookie | null {
  const [content = '', signature = ''] = request.cookies[cookieName(settings, NAME)]?.split('.') ?? []
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(key, content)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const [id, entries] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [string, Entry[]]
  const users = entries.map(([companyId, userId, password, signedInAt]) => ({
    companyId,
    userId,
    password,
    signedInAt,
  }))
  return { id, users }
}

function signatureOf(key: Buffer, content: string): Buffer {
  return signWithKey(key, 'cookie of a known browser', content)
}
