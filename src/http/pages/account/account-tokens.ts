import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { issueUserToken, NO_SUCH_TOKEN, revokeUserToken } from '../../../accounts/users/user-tokens.ts'
import type { TokenScope } from '../../../domain/accounts/roles.ts'
import type { Problem } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import { findUserToken, listUserTokens, type SeenToken } from '../../../accounts/users/read-user-tokens.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { IssueTokenBody, getTokenStatus } from '../../admin/user-schemas.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import { ProblemError } from '../../server/problem.ts'
import type { PasswordRoute } from './account-password.ts'
import { renderBadge } from '../parts/badges.ts'
import {
  toFormProblem,
  checkForm,
  renderChoice,
  renderField,
  readFormFields,
  type FormProblem,
  renderSeenVersion,
  readSeenVersion,
  readWholeNumber,
} from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const PATH = `${ACCOUNT_PATH}/tokens`

interface TokenRoute {
  Params: { id: string }
}

/** Adds the routes that create and revoke the user's own tokens. */
export function addTokenRoutes(app: FastifyInstance, { db, company }: PageServices, show: PasswordRoute['show']): void {
  const keptForm = {
    fields: ['name', 'expires_in_days', 'scope'],
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
      show(request, reply, { form: 'token', problem }),
  }
  app.post(PATH, { config: { keptForm } }, async (request, reply) => {
    const { userId } = getViewer(request)
    try {
      const fields = readFormFields(request.body)
      const { name = '', expires_in_days: days, scope = '' } = fields
      const narrowed = scope === '' ? {} : { scope }
      const body = checkForm(IssueTokenBody, {
        name: name.trim(),
        expires_in_days: readWholeNumber(days),
        ...narrowed,
      })
      const { expires_in_days: expiresInDays } = body
      const newToken = {
        userId,
        name: body.name,
        expiresInDays,
        scope: body.scope ?? null,
        seen: readSeenVersion(fields),
      }
      const issued = await issueUserToken(company, getActing(request), newToken)
      return await sendToken(request, reply, issued)
    } catch (error) {
      return show(request, reply, { form: 'token', problem: toFormProblem(error) })
    }
  })

  app.get<TokenRoute>(`${PATH}/:id/revoke`, async (request, reply) =>
    sendTokenRevocation(request, reply, await requireOwnToken(db, request)),
  )
  app.post<TokenRoute>(`${PATH}/:id/revoke`, async (request, reply) => {
    const { token } = await requireOwnToken(db, request)
    await revokeUserToken(company, getActing(request), token.id)
    return reply.redirect(`${ACCOUNT_PATH}?done=revoked`, 303)
  })
}

async function requireOwnToken(db: LedgerDb, request: FastifyRequest<TokenRoute>): Promise<SeenToken> {
  const { companyId, userId } = getViewer(request)
  const { id } = request.params
  const stored = isId('tok', id) ? await findUserToken(db, companyId, id) : null
  if (stored?.token.userId !== userId) throw new ProblemError(NO_SUCH_TOKEN)
  return stored
}

function sendToken(
  request: FastifyRequest,
  reply: FastifyReply,
  { token, secret }: { token: SeenToken['token']; secret: string },
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  return sendUserPage(request, reply, viewer, {
    title: 'Token created',
    body: html`<h1>Token created</h1>
      ${renderCopyWarning('the token')}
      <h2>“<bdi>${token.name}</bdi>”, sent as <code>Authorization: Bearer</code></h2>
      ${renderCopyable('token', secret, 'Copy token')}
      <p>${describeScope(token.scope)} It works until ${renderTime(token.expiresAt, viewer.timeZone)}.</p>
      <p><a class="button" href="${ACCOUNT_PATH}">Go to your account</a></p>`,
  })
}

const SCOPES = [
  { value: '', label: 'Full access' },
  { value: 'audit', label: 'Audit endpoint only' },
]

function describeScope(scope: TokenScope | null): string {
  return scope === null ? 'It has full access with your role.' : 'It can only read the audit endpoint.'
}

function sendTokenRevocation(
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: SeenToken,
): Promise<FastifyReply> {
  return sendUserPage(request, reply, getViewer(request), {
    title: `Revoke ${token.name}`,
    body: html`<h1>Revoke “<bdi>${token.name}</bdi>”?</h1>
      <p>All requests with this token will be refused immediately. This can't be undone.</p>
      <form method="post" action="${PATH}/${token.id}/revoke" class="actions">
        <button class="danger">Revoke token</button>
        <a class="button" href="${ACCOUNT_PATH}">Cancel</a>
      </form>`,
  })
}

/** Renders the user's own tokens and the form that creates one. `version` is the user's version. */
export async function renderTokens(
  db: LedgerDb,
  request: FastifyRequest,
  version: number,
  problem: FormProblem,
): Promise<Html> {
  const { companyId, userId, timeZone } = getViewer(request)
  const { cursor } = readFormFields(request.query)
  const before = cursor === undefined ? {} : { before: decodeIdCursor('tok', cursor) }
  const tokens = await listUserTokens(db, companyId, { userId, limit: ROWS_A_PAGE + 1, ...before })
  const {
    name = '',
    expires_in_days: days = String(DEFAULT_TOKEN_DAYS),
    scope = '',
  } = problem ? readFormFields(request.body) : {}
  return html`<h2 id="tokens">Tokens</h2>
    <p>A token lets a program do everything you can do, unless you limit it to the audit endpoint.</p>
    ${tokens.length === 0 ? html`<p class="empty">You have no tokens.</p>` : renderTokenTable(tokens.slice(0, ROWS_A_PAGE), timeZone)}
    ${renderListLinks(ACCOUNT_PATH, {}, cursor, tokens, ({ token }) => token.id)}
    <h3>New token</h3>
    <form method="post" action="${PATH}" class="stack">
      ${renderSeenVersion(version)}
      ${renderField({ name: 'name', label: 'Token name', value: name, maxLength: 120, autocomplete: 'off', hint: 'Purpose' }, problem)}
      ${renderField({ name: 'expires_in_days', label: 'Expires in (days)', type: 'number', value: days, min: 1, max: MAX_TOKEN_DAYS }, problem)}
      ${renderChoice({ name: 'scope', label: 'Access', value: scope, options: SCOPES }, problem)}
      <button>Create token</button>
    </form>`
}

function renderTokenTable(tokens: SeenToken[], timeZone: string): Html {
  return html`<table class="cards" aria-labelledby="tokens">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Access</th>
        <th scope="col">Status</th>
        <th scope="col">Last used</th>
        <th scope="col">Ends</th>
        <th scope="col"><span class="visually-hidden">Actions</span></th>
      </tr>
    </thead>
    <tbody>
      ${tokens.map((seen) => renderTokenRow(seen, timeZone))}
    </tbody>
  </table>`
}

const BADGES = {
  active: renderBadge('good', 'Active'),
  expired: renderBadge('plain', 'Expired'),
  revoked: renderBadge('bad', 'Revoked'),
}

function renderTokenRow({ token, now }: SeenToken, timeZone: string): Html {
  const status = getTokenStatus(token, now)
  return html`<tr>
    <th scope="row"><bdi>${token.name}</bdi></th>
    <td data-label="Access">${token.scope === null ? 'Full access' : 'Audit endpoint only'}</td>
    <td data-label="Status">${BADGES[status]}</td>
    <td data-label="Last used">${token.lastUsed === null ? 'never' : renderTime(token.lastUsed, timeZone)}</td>
    <td data-label="Ends">${renderTime(token.revokedAt ?? token.expiresAt, timeZone)}</td>
    <td>
      ${status === 'active' ? html`<a class="unbroken" href="${PATH}/${token.id}/revoke">Revoke<span class="visually-hidden"> <bdi>${token.name}</bdi></span>…</a>` : ''}
    </td>
  </tr>`
}
