import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { KeyWithSecret } from '../../../accounts/api-keys/issue-api-key.ts'
import type { SessionSettings } from '../../access/session.ts'
import { findBaseUrl } from '../parts/addresses.ts'
import { buildCreateCommand, buildVerifyCommand } from './curl-lines.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

/** Shows a new secret of a key, once, with commands to try it. */
export function sendSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: SessionSettings,
  { key, secret }: KeyWithSecret,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const isFirst = key.rotatedAt === null
  const title = isFirst ? 'API key created' : 'Secret rotated'
  const baseUrl = findBaseUrl(request, sessions)
  return sendUserPage(request, reply, viewer, {
    title,
    body: html`<h1>${title}</h1>
      ${renderCopyWarning('the secret')}
      <h2>Secret of “<bdi>${key.name}</bdi>”, sent as <code>x-api-key</code></h2>
      ${renderCopyable('secret', secret, 'Copy secret')}
      <h2>API ID, sent as <code>x-api-id</code></h2>
      ${renderCopyable('api-id', key.id, 'Copy ID')}
      ${isFirst ? '' : renderPreviousSecret(key.previousExpiresAt, viewer.timeZone)}
      <h2>Try it</h2>
      <p>This command verifies the key and changes nothing:</p>
      ${renderCopyable('verify-line', buildVerifyCommand(baseUrl, { id: key.id, secret }), 'Copy command')}
      ${key.scopes.includes('employees:write') ? renderCreateLine(buildCreateCommand(baseUrl, { id: key.id, secret })) : ''}
      <p><a class="button" href="${NAVIGATION.apiKeys.path}/${key.id}">View key</a></p>`,
  })
}

function renderCreateLine(command: string) {
  return html`<p>
      This one creates an employee, which adds an entry to
      <a href="${NAVIGATION.bulkUserLogs.path}">Bulk User Logs</a>:
    </p>
    ${renderCopyable('create-line', command, 'Copy command')}`
}

function renderPreviousSecret(expiresAt: string | null, timeZone: string) {
  return expiresAt === null
    ? html`<p>The previous secret no longer works.</p>`
    : html`<p>The previous secret works until ${renderTime(expiresAt, timeZone)}.</p>`
}
