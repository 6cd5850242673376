import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { KeyWithSecret } from '../../../accounts/api-keys/issue-api-key.ts'
import type { SessionSettings } from '../../access/session.ts'
import { baseUrlOf } from '../parts/base-url.ts'
import { creatingCurl, verifyingCurl } from './curl-lines.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { onlyOnce, shownOnce } from '../parts/once.ts'
import { timeShown } from '../parts/times.ts'
import { viewerOf } from '../parts/viewer.ts'

/** Shows a new secret of a key, this once, with a line that tries it. */
export function sendSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  sessions: SessionSettings,
  { key, secret }: KeyWithSecret,
): Promise<FastifyReply> {
  const viewer = viewerOf(request)
  const isFirst = key.rotatedAt === null
  const title = isFirst ? 'The API key is issued' : 'The API key has a new secret'
  const baseUrl = baseUrlOf(request, sessions)
  return sendUserPage(request, reply, viewer, {
    title,
    body: html`<h1>${title}</h1>
      ${onlyOnce('the secret')}
      <h2>Secret of “${key.name}”, sent as <code>x-api-key</code></h2>
      ${shownOnce('secret', secret, 'Copy the secret')}
      <h2>API id, sent as <code>x-api-id</code></h2>
      ${shownOnce('api-id', key.id, 'Copy the id')}
      ${isFirst ? '' : whatOfTheFormer(key.previousExpiresAt, viewer.timeZone)}
      <h2>Try it</h2>
      <p>This line verifies the key, and changes nothing:</p>
      ${shownOnce('verify-line', verifyingCurl(baseUrl, { id: key.id, secret }), 'Copy the line')}
      <p>
        This one creates an employee, and with it an entry in
        <a href="${NAVIGATION.bulkUserLogs.path}">Bulk User Logs</a>:
      </p>
      ${shownOnce('create-line', creatingCurl(baseUrl, { id: key.id, secret }), 'Copy the line')}
      <p><a class="button" href="${NAVIGATION.apiKeys.path}/${key.id}">To the key</a></p>`,
  })
}

function whatOfTheFormer(expiresAt: string | null, timeZone: string) {
  return expiresAt === null
    ? html`<p>The secret before it has ended.</p>`
    : html`<p>The secret before it works until ${timeShown(expiresAt, timeZone)}.</p>`
}
