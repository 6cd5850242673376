import type { FastifyInstance, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { SeenToken } from '../../../accounts/users/read-user-tokens.ts'
import { findUserToken, listUserTokens } from '../../../accounts/users/read-user-tokens.ts'
import { NO_SUCH_TOKEN, revokeUserToken } from '../../../accounts/users/user-tokens.ts'
import { isId } from '../../../domain/ids.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { getTokenStatus } from '../../admin/user-schemas.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import { ProblemError } from '../../server/problem.ts'
import { renderBadge } from '../parts/badges.ts'
import { readFormFields } from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderLastFour } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/* The tokens of a user, on the user's own page and on that for administrators, and the page that revokes one. */

interface TokenRequest {
  /** `id` is that of the user, on the page for administrators. */
  Params: { token: string; id?: string }
}

/** Where the tokens of a user are shown. */
interface TokenPlace {
  userId: string
  /** The path of the page that lists them. */
  path: string
}

/** Adds the routes that revoke a token, below the page that lists it. `pattern` is the pattern of its path. */
export function addTokenRevocation(
  app: FastifyInstance,
  { db, company }: PageServices,
  pattern: string,
  placeOf: (request: FastifyRequest<TokenRequest>) => TokenPlace,
): void {
  app.get<TokenRequest>(`${pattern}/tokens/:token/revoke`, async (request, reply) => {
    const place = placeOf(request)
    const { token } = await requireTokenOf(db, request, place)
    return sendUserPage(request, reply, getViewer(request), {
      title: `Revoke ${token.name}`,
      body: html`<h1>Revoke “<bdi>${token.name}</bdi>”?</h1>
        <p>All requests with this token will be refused immediately. This can't be undone.</p>
        <form method="post" action="${place.path}/tokens/${token.id}/revoke" class="actions">
          <button class="danger">Revoke token</button>
          <a class="button" href="${place.path}">Cancel</a>
        </form>`,
    })
  })
  app.post<TokenRequest>(`${pattern}/tokens/:token/revoke`, async (request, reply) => {
    const place = placeOf(request)
    const { token } = await requireTokenOf(db, request, place)
    await revokeUserToken(company, getActing(request), token.id)
    return reply.redirect(`${place.path}?done=revoked`, 303)
  })
}

async function requireTokenOf(
  db: LedgerDb,
  request: FastifyRequest<TokenRequest>,
  { userId }: TokenPlace,
): Promise<SeenToken> {
  const { token: id } = request.params
  const seenToken = isId('tok', id) ? await findUserToken(db, getViewer(request).companyId, id) : null
  if (seenToken?.token.userId !== userId) throw new ProblemError(NO_SUCH_TOKEN)
  return seenToken
}

/** Renders a page of the tokens of a user, newest first, each with a link to revoke it. */
export async function renderTokenList(
  db: LedgerDb,
  request: FastifyRequest,
  { userId, path }: TokenPlace,
  whenNone: string,
): Promise<Html> {
  const { companyId, timeZone } = getViewer(request)
  const { cursor } = readFormFields(request.query)
  const before = cursor === undefined ? {} : { before: decodeIdCursor('tok', cursor) }
  const tokens = await listUserTokens(db, companyId, { userId, limit: ROWS_A_PAGE + 1, ...before })
  return html`${tokens.length === 0 ? html`<p class="empty">${whenNone}</p>` : renderTable(tokens.slice(0, ROWS_A_PAGE), path, timeZone)}
  ${renderListLinks(path, {}, cursor, tokens, ({ token }) => token.id)}`
}

function renderTable(tokens: SeenToken[], path: string, timeZone: string): Html {
  return html`<table class="cards" aria-labelledby="tokens">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Token</th>
        <th scope="col">Access</th>
        <th scope="col">Status</th>
        <th scope="col">Last used</th>
        <th scope="col">Ends</th>
        <th scope="col"><span class="visually-hidden">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${tokens.map((seen) => renderRow(seen, path, timeZone))}
    </tbody>
  </table>`
}

function renderRow(seen: SeenToken, path: string, timeZone: string): Html {
  const { token } = seen
  return html`<tr>
    <th scope="row"><bdi>${token.name}</bdi></th>
    <td data-label="Token">${renderLastFour(token.lastFour)}</td>
    <td data-label="Access">${token.scope === null ? 'Full access' : 'Audit endpoint only'}</td>
    <td data-label="Status">${renderTokenStatus(seen)}</td>
    <td data-label="Last used">${token.lastUsed === null ? 'never' : renderTime(token.lastUsed, timeZone)}</td>
    <td data-label="Ends">${renderTime(token.revokedAt ?? token.expiresAt, timeZone)}</td>
    <td>
      ${getTokenStatus(token, seen.now) === 'active' ? html`<a class="unbroken" href="${path}/tokens/${token.id}/revoke">Revoke<span class="visually-hidden"> <bdi>${token.name}</bdi></span>…</a>` : ''}
    </td>
  </tr>`
}

const BADGES = {
  active: renderBadge('good', 'Active'),
  expired: renderBadge('plain', 'Expired'),
  revoked: renderBadge('bad', 'Revoked'),
}

/** Renders the status of a token as a badge. */
export function renderTokenStatus({ token, now }: SeenToken): Html {
  return BADGES[getTokenStatus(token, now)]
}
