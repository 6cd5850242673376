import { type Role, ROLES } from '../../domain/accounts/roles.ts'
import { getUserStatus, type UserRecord } from '../../accounts/users/users.ts'
import { renderBadge } from '../parts/badges.ts'
import { type Html, html } from '../parts/html.ts'
import type { FastifyRequest } from 'fastify'
import { buildLinkUrl } from '../../accounts/users/email-user.ts'
import type { UserWithLink } from '../../accounts/users/change-user.ts'
import { findBaseUrl } from '../../http/access/session.ts'
import type { PageContent } from '../parts/form-page.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

/** Whether the user is erased: an erased user has no email. */
export function isErased({ email }: UserRecord): boolean {
  return email === ''
}

/** Returns the display name of a user. */
export function formatUserName(user: UserRecord): string {
  return isErased(user) ? 'Erased user' : user.name
}

/** Says how a user signs in. */
export function formatWaysIn({ hasPassword, hasPasskeys, identity, removedAt }: UserRecord): string {
  const ways = [
    ...(identity === null ? [] : ['identity provider']),
    ...(hasPassword ? ['password'] : []),
    ...(hasPasskeys ? ['passkey'] : []),
  ]
  return ways.join(', ') || (removedAt === null ? 'nothing yet' : 'nothing')
}

/** Renders the status of a user as a badge. */
export function renderUserStatus(user: UserRecord): Html {
  switch (getUserStatus(user)) {
    case 'active':
      return renderBadge('good', 'Active')
    case 'pending':
      return renderBadge('warn', 'Invited')
    case 'removed':
      return renderBadge('plain', isErased(user) ? 'Erased' : 'Removed')
  }
}

const RIGHTS: Record<Role, string> = {
  admin: 'admin: full access',
  auditor: 'auditor: event stream, employees over time, and ledger integrity',
  member: 'member: own account only',
}

/** The choice of a role. */
export const ROLE_CHOICE = {
  name: 'role',
  label: 'Role',
  options: ROLES.map((role) => ({ value: role, label: RIGHTS[role] })),
}

/** Returns the page that shows a user's one-time link. */
export function showOneTimeLink(
  request: FastifyRequest,
  { sessions, company: { outbox } }: PageServices,
  title: string,
  { user, linkToken, linkExpiresAt, isEmailed }: UserWithLink,
): PageContent {
  const link = buildLinkUrl(findBaseUrl(request, sessions), linkToken)
  const email = html`<bdi>${user.email}</bdi>`
  const sending = isEmailed ? html`You can also send it to ${email} yourself` : html`Send it to ${email}`
  return {
    title,
    body: html`${outbox ? renderEmailed(user.email, isEmailed) : ''}
      ${renderCopyWarning('the link')}
      <h2>One-time link for <bdi>${user.name}</bdi></h2>
      ${renderCopyable('link', link, 'Copy link')}
      <p>
        ${sending} over a private channel: anyone who opens it can sign in as this user. It works once, until
        ${renderTime(linkExpiresAt, getViewer(request).timeZone)}.
      </p>
      <p><a class="button" href="${NAVIGATION.users.path}/${user.id}">View user</a></p>`,
  }
}

function renderEmailed(email: string, isEmailed: boolean): Html {
  return isEmailed
    ? html`<p class="notice" role="status">An email with the link is on its way to <bdi>${email}</bdi>.</p>`
    : html`<p class="warning">No email was sent, because too many have been sent recently. Pass the link on yourself.</p>`
}
