import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { FoundSecret, FoundSecrets } from '../../../accounts/api-keys/find-secrets.ts'
import { findSecrets } from '../../../accounts/api-keys/find-secrets.ts'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { hasPreviousSecret } from '../../../accounts/api-keys/read-api-keys.ts'
import type { SeenToken } from '../../../accounts/users/read-user-tokens.ts'
import { readNames } from '../../../ledger/read/read-names.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { SecretSearchBody, toSecretSearch } from '../../admin/secret-search.ts'
import { renderTokenStatus } from '../account/token-list.ts'
import {
  checkForm,
  type FormProblem,
  readFormFields,
  renderField,
  renderFormAlert,
  toFormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderLastFour } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderKeyStatus, renderSecretEnds } from './api-key-facts.ts'

const { path: PATH } = NAVIGATION.apiKeys

/**
 * The search for a key or token. It is sent as a form, because a secret must not be in an address; the answer does not
 * repeat what was entered, and the form is not kept if the session has ended.
 */
export function addSecretSearch(app: FastifyInstance, { db }: PageServices): void {
  app.post(PATH, { config: { isHeavyRead: ALWAYS } }, async (request, reply) => {
    const { q = '', secret_sha256: sha256 = '' } = readFormFields(request.body)
    if (q.trim() === '' && sha256 === '') return reply.redirect(PATH, 303)
    try {
      const search = toSecretSearch(checkForm(SecretSearchBody, sha256 === '' ? { q } : { secret_sha256: sha256 }))
      return await sendFound(request, reply, db, await findSecrets(db, getViewer(request).companyId, search))
    } catch (error) {
      return sendSearch(request, reply, toFormProblem(error), html``)
    }
  })
}

const HINT = 'A name, an ID, the last four characters of a secret, or a whole secret, such as one that leaked.'

/** Renders the search. With a script, the browser sends the SHA-256 of a secret instead of the secret. */
export function renderSecretSearch(problem: FormProblem): Html {
  return html`<form method="post" action="${PATH}" class="filters" role="search" data-hashed-secret>
    ${renderField({ name: 'q', label: 'Find a key or token', autocomplete: 'off', isNoWord: true, hint: HINT }, problem)}
    <input type="hidden" name="secret_sha256" />
    <div class="actions"><button>Find</button></div>
  </form>`
}

async function sendFound(
  request: FastifyRequest,
  reply: FastifyReply,
  db: PageServices['db'],
  { items, isMore }: FoundSecrets,
): Promise<FastifyReply> {
  const { companyId, timeZone } = getViewer(request)
  const owners = await readNames(
    db,
    companyId,
    items.flatMap(({ token }) => token?.token.userId ?? []),
  )
  const rows = items.map((secret) =>
    secret.key
      ? renderFoundKey(secret, secret.key, timeZone)
      : renderFoundToken(secret, secret.token, owners.get(secret.token.token.userId) ?? 'Erased user'),
  )
  return sendSearch(
    request,
    reply,
    null,
    items.length === 0
      ? html`<p class="empty">
          No key or token of this company matches. Secrets that were replaced more than once ago are no longer stored.
        </p>`
      : html`<table class="cards">
            <caption class="visually-hidden">
              Keys and tokens
            </caption>
            <thead>
              <tr>
                <th scope="col">Name and ID</th>
                <th scope="col">Found by</th>
                <th scope="col">Status</th>
                <th scope="col">Secret</th>
              </tr>
            </thead>
            <tbody>
              ${rows}
            </tbody>
          </table>
          ${isMore ? html`<p>There are more. Enter more of the name.</p>` : ''}`,
  )
}

function sendSearch(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
  results: Html,
): Promise<FastifyReply> {
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'Keys and tokens found',
    body: html`${renderBreadcrumb(NAVIGATION.apiKeys)}
      <h1>Keys and tokens found</h1>
      ${renderFormAlert(problem)} ${renderSecretSearch(problem)} ${results}`,
  })
}

function renderFoundKey(secret: FoundSecret, seen: SeenKey, timeZone: string): Html {
  const { key } = seen
  return html`<tr>
    <th scope="row">
      <a href="${PATH}/${key.id}"><bdi>${key.name}</bdi></a><br /><code class="below">${key.id}</code>
    </th>
    <td data-label="Found by">
      ${FOUND_BY[secret.by]}${secret.by === 'previous_secret' ? renderPreviousEnd(seen, timeZone) : ''}
    </td>
    <td data-label="Status">${renderKeyStatus(seen)}</td>
    <td data-label="Secret">${renderSecretEnds(seen)}</td>
  </tr>`
}

const FOUND_BY = {
  secret: 'Its secret',
  previous_secret: 'Its previous secret',
  id: 'Its ID',
  last_four: 'The last four characters',
  name: 'Its name',
}

function renderPreviousEnd(seen: SeenKey, timeZone: string): Html {
  const { previousExpiresAt: end } = seen.key
  return end === null
    ? html``
    : html`, which ${hasPreviousSecret(seen) ? 'works until' : 'ended'} ${renderTime(end, timeZone)}`
}

function renderFoundToken(secret: FoundSecret, seen: SeenToken, owner: string): Html {
  const { token } = seen
  return html`<tr>
    <th scope="row">
      <a href="${NAVIGATION.users.path}/${token.userId}#tokens"><bdi>${token.name}</bdi></a><br />
      Token of <bdi>${owner}</bdi><br /><code class="below">${token.id}</code>
    </th>
    <td data-label="Found by">${FOUND_BY[secret.by]}</td>
    <td data-label="Status">${renderTokenStatus(seen)}</td>
    <td data-label="Secret">${renderLastFour(token.lastFour)}</td>
  </tr>`
}
