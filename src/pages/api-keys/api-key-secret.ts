import type { FastifyRequest } from 'fastify'
import type { KeyWithSecret } from '#accounts/api-keys/change-api-key'
import { type SessionSettings, findBaseUrl } from '#http/access/session'
import { buildCreateCommand, buildVerifyCommand } from './curl-lines.ts'
import type { PageContent } from '../parts/form-page.ts'
import { html, renderCopyWarning, renderCopyable, renderTime } from '../parts/elements.ts'
import { NAVIGATION } from '#wording/navigation'
import { getViewer } from '../parts/context.ts'

/** Returns the page that shows a new secret of a key, with commands to try it. */
export function showSecret(
  request: FastifyRequest,
  sessions: SessionSettings,
  { key, secret }: KeyWithSecret,
): PageContent {
  const isFirst = key.rotatedAt === null
  const baseUrl = findBaseUrl(request, sessions)
  return {
    title: isFirst ? 'API key created' : 'Secret rotated',
    body: html`${renderCopyWarning('the secret')}
      ${key.scopes.includes('scim') ? renderProviderSetup(baseUrl, key.id, secret) : ''}
      <h2>Secret of “<bdi>${key.name}</bdi>”, sent as <code>x-api-key</code></h2>
      ${renderCopyable('secret', secret, 'Copy secret')}
      <h2>API ID, sent as <code>x-api-id</code></h2>
      ${renderCopyable('api-id', key.id, 'Copy ID')}
      ${isFirst ? '' : renderPreviousSecret(key.previousExpiresAt, getViewer(request).timeZone)}
      <h2>Try it</h2>
      <p>This command verifies the key and changes nothing:</p>
      ${renderCopyable('verify-line', buildVerifyCommand(baseUrl, { id: key.id, secret }), 'Copy command')}
      ${key.scopes.includes('employees:write') ? renderCreateLine(buildCreateCommand(baseUrl, { id: key.id, secret })) : ''}
      <p><a class="button" href="${NAVIGATION.apiKeys.path}/${key.id}">View key</a></p>`,
  }
}

/** What to paste into the settings of an identity provider. */
function renderProviderSetup(baseUrl: string, id: string, secret: string) {
  return html`<h2>For your identity provider</h2>
    <p>
      Address: “SCIM connector base URL” in Okta (with <code>userName</code> as the unique identifier and “HTTP Header” as
      the authentication mode), “Tenant URL” in Microsoft Entra ID.
    </p>
    ${renderCopyable('scim-url', `${baseUrl}/scim/v2`, 'Copy address')}
    <p>Token: “Authorization” in Okta, “Secret token” in Entra. Turn the provisioning of groups off.</p>
    ${renderCopyable('scim-token', `${id}.${secret}`, 'Copy token')}`
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
