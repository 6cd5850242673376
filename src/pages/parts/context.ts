import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Budget } from '#admission/budget'
import type { ProviderServices } from '#accounts/providers/providers'
import type { CompanyServices } from '#accounts/change-company'
import type { FailedSignIns } from '#accounts/sign-in/record-sign-ins'
import type { ProviderClient } from '#accounts/oidc/provider-client'
import type { StoredFiles } from '#evidence/make-stored-file'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import { type Reads, readInTime } from '#ledger/read/reads'
import type { SystemHealth } from '#ledger/read/read-standings'
import type { LedgerDb } from '#ledger/tables'
import type { UploadRouteServices } from '#uploads/store-file'
import type { RequireLogEntry } from '#log/log-entries'
import { type SessionSettings, actAs, findSessionUser, sessionCookie, setSessionCookie } from '#http/access/session'
import type { SignInLimits } from '#http/access/sign-in-limits'
import type { WebhookRouteServices } from '#api/admin/webhooks/webhook-schemas'
import { readAttention, rememberSetBacks, type Attention } from '#accounts/attention/read-attention'
import { renewForRole, type SessionUser } from '#accounts/users/sessions'
import { ProblemError } from '#http/server/problem'
import { refuseOtherRoles } from '#http/access/authorize-user'
import type { NavigationItem } from '#wording/navigation'
import { requireUser } from '#api/admin/users'
import { findUser } from '#accounts/users/users'

export interface PageServices extends WebhookRouteServices {
  /** The primary, on connections that long reads do not use: for sessions. */
  access: LedgerDb
  /** The connections of `access`: for sessions, and for finding the companies of someone who signs in. */
  accessPool: CompanyServices['pool']
  /** Reads of the ledger and its projections. */
  reads: Reads
  requireLogEntry: RequireLogEntry
  company: CompanyServices
  /** Counts failed sign-ins of users. */
  failures: FailedSignIns
  signIns: SignInLimits
  providers: ProviderServices & {
    /** Signs users in through the identity providers of their companies. */
    client: ProviderClient
    /** Whether an issuer may use http, for development. */
    allowsHttp: boolean
  }
  signer: CheckpointSigner
  /** Evidence files that workers make. */
  storedFiles: StoredFiles
  health: SystemHealth
  /** Uploading files, whose parts become calls. */
  uploads: UploadRouteServices
  /** Bytes of files that are being received. */
  fileBudget: Budget
  sessions: SessionSettings
  /** Whether the read models of the pages are filled. */
  areReadModelsComplete(): Promise<boolean>
  /** Failed authentications of one address in a minute; 0 is no limit. */
  failureLimit: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user of a page behind `requireViewer`. */
    viewer: SessionUser | null
  }
}

/** Thrown when nobody is signed in; answered by a way to sign in. */
export class SignInNeededError extends Error {
  override name = 'SignInNeededError'
}

/** Lets signed-in users through. Throws SignInNeededError for everyone else. */
export function requireViewer(db: LedgerDb, settings: SessionSettings) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    // Requests that a page's script makes by itself do not keep a session alive.
    const isOpened = request.headers['sec-fetch-mode'] !== 'cors' && request.headers['sec-fetch-mode'] !== 'same-origin'
    const user = await findSessionUser(db, request, settings, isOpened ? 'touch' : 'peek')
    if (!user) throw new SignInNeededError()
    request.viewer = user
    if (isOpened && request.method === 'GET') await renewCookie(db, request, reply, settings, user)
  }
}

async function renewCookie(
  db: LedgerDb,
  request: FastifyRequest,
  reply: FastifyReply,
  settings: SessionSettings,
  user: SessionUser,
) {
  const cookie = sessionCookie(request, settings)
  const renewed = cookie === null ? null : await renewForRole(db, user, cookie)
  if (renewed !== null) setSessionCookie(reply, settings, renewed)
}

/** Lets the roles of a navigation item through; runs after `requireViewer`. */
export function requireItem({ roles }: NavigationItem) {
  const refusal = refuseOtherRoles('This page', roles)
  return async (request: FastifyRequest) => {
    if (!roles.includes(getViewer(request).role)) throw new ProblemError(refusal)
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Reads what needs attention, once for each request; absent for users who are not administrators. */
    attention?: () => Promise<Attention | null>
  }
}

/** Lets the pages of administrators show what needs attention; runs after `requireViewer`. */
export function showAttention(reads: Reads) {
  const recent = rememberSetBacks()
  return async (request: FastifyRequest) => {
    const { companyId, role, ...clock } = getViewer(request)
    if (role !== 'admin') return
    let read: Promise<Attention | null> | undefined
    const readOnce = () =>
      readInTime(reads, companyId, (db) => readAttention(db, companyId, clock, [], recent)).catch((error: unknown) => {
        // The page itself may well work.
        request.log.warn({ err: error }, 'could not read what needs attention')
        return null
      })
    request.attention = () => (read ??= readOnce())
  }
}

export interface RecognitionServices {
  access: LedgerDb
  reads: Reads
  sessions: SessionSettings
}

/** Lets pages for everybody keep the navigation of users who are signed in. */
export function recognizeViewer({ access, reads, sessions }: RecognitionServices) {
  const show = showAttention(reads)
  return async (request: FastifyRequest) => {
    try {
      request.viewer = await findSessionUser(access, request, sessions, 'peek')
    } catch (error) {
      // These pages need no database.
      request.log.warn({ err: error }, 'could not find out who is signed in')
    }
    if (request.viewer) await show(request)
  }
}

/** What needs the attention of the viewer; null if the viewer is no administrator, or if it could not be read. */
export async function readAttentionOf(request: FastifyRequest) {
  return request.attention ? request.attention() : null
}

/** What needs the attention of the viewer; nothing if it could not be read. */
export async function readProblemsOf(request: FastifyRequest) {
  return (await readAttentionOf(request))?.items ?? []
}

/** Returns who acts through a form of a page behind `requireViewer`. */
export function getActing(request: FastifyRequest) {
  return actAs(request, getViewer(request))
}

/** Returns the signed-in user of a page behind `requireViewer`. */
export function getViewer(request: FastifyRequest) {
  if (!request.viewer) throw new SignInNeededError()
  return request.viewer
}

/** Finds the user of a page behind `requireViewer`. */
export async function requireOwnUser({ db }: Pick<PageServices, 'db'>, request: FastifyRequest) {
  const { companyId, userId } = getViewer(request)
  return requireUser(await findUser(db, companyId, userId))
}
