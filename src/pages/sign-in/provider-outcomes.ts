import { databaseTime } from '#postgres/database-clock'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StoredProvider } from '#accounts/providers/providers'
import { ProviderError, type ProviderIdentity } from '#accounts/oidc/provider-client'
import { UnreadableSecretError } from '#accounts/secrets/secret-box'
import { idsOf } from '#http/server/access-log'
import { companyPath, ACCOUNT_PATH, NAVIGATION } from '#wording/navigation'
import { capitalise } from '#pages/parts/call-words'
import {
  renderCode,
  isolate,
  html,
  renderCopyable,
  renderFacts,
  renderTable,
  renderActions,
  renderButton,
  renderNameLink,
  renderJoined,
} from '#pages/parts/elements'
import { sendCardPage, sendUserPage, renderBreadcrumb } from '#pages/parts/layout'
import { FAILURE_WORDS, type FailureReason } from './failure-words.ts'
import type { SignInPreview } from '#accounts/sign-in/sign-in-through-provider'
import type { SessionUser } from '#accounts/users/sessions'
import type { Role } from '#domain/accounts/roles'

/** Why someone authenticates at the provider: to sign in; to link a user; or, as an administrator, to test. */
export type AuthorizationPurpose = { to: 'sign in' } | LinkPurpose | { to: 'test'; userId: string }

export interface LinkPurpose {
  to: 'link'
  userId: string
  /** The SHA-256 of the one-time link's token that proves the user, in base64url; null if the session does. */
  linkHash: string | null
}

interface Failure {
  /** Null if it is not known. */
  companyId: string | null
  /** Null if the company has none, or nobody may know. */
  provider: StoredProvider | null
  reason: FailureReason
  /** What exactly went wrong, without secrets. */
  detail?: string
  /** Who came back, if that is known. */
  identity?: ProviderIdentity
  purpose?: AuthorizationPurpose
}

/** Sends the page about a sign-in that failed: what to do, and what to tell the company's IT. */
export function sendFailure(reply: FastifyReply, failure: Failure) {
  const { request } = reply
  const { companyId, provider, reason, purpose = { to: 'sign in' } } = failure
  const { status, title, advice, forIt } = FAILURE_WORDS[reason]
  const name = provider?.settings.name ?? 'the identity provider'
  request.log.warn({ reason, companyId, ...idsOf(request) }, 'a sign-in through an identity provider failed')
  return sendCardPage(reply.code(status), {
    title: capitalise(title.replace('PROVIDER', name)),
    body: html`<p role="alert">${advice}</p>
      <p class="actions">${renderWayOn(companyId, purpose)}</p>
      <h2>For your IT team</h2>
      <p>${forIt}</p>
      ${renderCopyable('failure', listFacts(request, failure).join('\n'))}`,
  })
}

/** Sends the page for an error of the provider client. Rethrows any other error. */
export function sendProviderFault(reply: FastifyReply, error: unknown, failure: Omit<Failure, 'reason' | 'detail'>) {
  if (error instanceof UnreadableSecretError) return sendFailure(reply, { ...failure, reason: 'not_ready' })
  if (!(error instanceof ProviderError)) throw error
  return sendFailure(reply, { ...failure, reason: error.fault, detail: error.message })
}

function listFacts({ id }: FastifyRequest, { companyId, provider, reason, detail, identity }: Failure): string[] {
  const facts: [name: string, value: string | null | undefined][] = [
    ['Reason', reason],
    ['Detail', detail],
    ['Provider', provider?.settings.name],
    ['Issuer', provider?.settings.issuer],
    ['Account', identity?.subject],
    ['Email', identity?.claimedEmail],
    ['Company', companyId],
    ['Request', id],
    ['Time', databaseTime()],
  ]
  return facts.filter(([, value]) => typeof value === 'string').map(([name, value]) => `${name}: ${value}`)
}

function renderWayOn(companyId: string | null, purpose: AuthorizationPurpose) {
  switch (purpose.to) {
    case 'sign in':
      return renderButton(companyId === null ? '/sign-in' : companyPath(companyId), 'Start again', 'primary')
    case 'link':
      if (purpose.linkHash !== null) return html`To start again, open the one-time link again.`
      return renderButton(ACCOUNT_PATH, 'Your account', 'primary')
    case 'test':
      return renderButton(NAVIGATION.signIn.path, 'Back to Sign-in', 'primary')
  }
}

/** Sends the page with the result of a test: what signing in would have done, and what the provider sent. */
export function sendTestResult(
  reply: FastifyReply,
  viewer: SessionUser,
  identity: ProviderIdentity,
  preview: SignInPreview,
) {
  const { issuer, subject, name, roleValues } = identity
  return sendUserPage(reply, viewer, {
    title: 'Test result',
    body: html`${renderBreadcrumb(NAVIGATION.signIn)}
      <h1>Test result</h1>
      <p class="${preview.outcome === 'refused' ? 'alert' : 'notice'}" role="status">
        ${renderOutcome(preview)} Nothing was changed.
      </p>
      <h2>What the provider says</h2>
      ${renderFacts({
        Account: html`${renderCode(subject)} at ${isolate(issuer)}`,
        Email: renderEmail(identity),
        Name: name === null ? 'None' : isolate(name),
        'Values of the role claim':
          roleValues.length === 0 ? 'None' : renderJoined(roleValues.map((value) => renderCode(value))),
      })}
      <h2>All claims</h2>
      ${renderTable({
        caption: 'Claims',
        columns: {
          Claim: ([claim]) => renderCode(claim),
          Value: ([, value]) => renderCode(formatClaim(value)),
        },
        rows: Object.entries(identity.claims),
      })}
      ${renderActions(renderButton(NAVIGATION.signIn.path, 'Back to Sign-in', 'primary'))}`,
  })
}

function renderOutcome(preview: SignInPreview) {
  switch (preview.outcome) {
    case 'linked':
      return html`You would be signed in as ${renderUser(preview.user)}, who is linked with this account
      ${renderRole(preview.user.role, preview.role)}.`
    case 'matched':
      return html`You would be signed in as ${renderUser(preview.user)}, who has this verified email and would be linked
      with this account ${renderRole(preview.user.role, preview.role)}.`
    case 'created':
      return html`A new user ${isolate(preview.email)} would be created, with the role ${preview.role}.`
    case 'refused':
      return html`Signing in would be refused. ${FAILURE_WORDS[preview.refusal].forIt}`
  }
}

function renderUser({ id, name, email }: { id: string; name: string; email: string }) {
  return html`${renderNameLink(`${NAVIGATION.users.path}/${id}`, name)} (${isolate(email)})`
}

function renderRole(before: Role, after: Role): string {
  return before === after ? `and keep the role ${after}` : `and get the role ${after} instead of ${before}`
}

function renderEmail({ email, claimedEmail: claimed, isEmailVerified }: ProviderIdentity) {
  if (email !== null) return html`${isolate(email)}, verified`
  if (claimed === null) return html`None`
  if (isEmailVerified) return html`${isolate(claimed)}, verified, but not written as it would be here`
  return html`${isolate(claimed)}, not verified: the provider does not send <code>email_verified</code> as true`
}

const MAX_CHARACTERS = 2_000

function formatClaim(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}
