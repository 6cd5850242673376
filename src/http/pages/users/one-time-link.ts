import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { UserWithLink } from '../../../accounts/users/invite-user.ts'
import type { SessionSettings } from '../../access/session.ts'
import { findBaseUrl } from '../parts/base-url.ts'
import { INVITATION_PATH } from '../sign-in/invitation.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

/** Sends the page that shows a user's one-time link, once. */
export function sendOneTimeLink(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: SessionSettings,
  title: string,
  invited: UserWithLink,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { user, linkToken, linkExpiresAt } = invited
  const link = `${findBaseUrl(request, sessions)}${INVITATION_PATH}?token=${linkToken}`
  return sendUserPage(request, reply, viewer, {
    title,
    body: html`<h1>${title}</h1>
      ${renderCopyWarning('the link')}
      <h2>One-time link for <bdi>${user.name}</bdi></h2>
      ${renderCopyable('link', link, 'Copy link')}
      <p>
        Send it to <bdi>${user.email}</bdi> over a private channel: anyone who opens it can sign in as this user. It works once, until
        ${renderTime(linkExpiresAt, viewer.timeZone)}.
      </p>
      <p><a class="button" href="${NAVIGATION.users.path}/${user.id}">View user</a></p>`,
  })
}
