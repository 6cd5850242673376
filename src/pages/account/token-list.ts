import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findUserToken, listUserTokens, type SeenToken } from '#accounts/users/read-user-tokens'
import { NO_SUCH_TOKEN, revokeUserToken } from '#accounts/users/user-tokens'
import { isId } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { TOKEN_ACTIONS } from '#api/admin/user-actions'
import { getTokenStatus } from '#api/admin/user-schemas'
import { readUserId } from '#api/admin/users'
import { ProblemError } from '#http/server/problem'
import { renderBadge } from '../parts/badges.ts'
import { renderButtons } from '../parts/form.ts'
import { addFormPage, renderForm, type PageRequest } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { readListQuery, renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import type { PageServices } from '../parts/page-services.ts'
import { describeScopes } from '#wording/token-scopes'
import { ACCOUNT_PATH, NAVIGATION, type UpperPage } from '#wording/navigation'
import { renderLastFour } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { renderTime, renderTimeOrNever } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

/* The tokens of a user, on the user's own page and on that for administrators, and the page that revokes one. */

/** A page of a token, below the page that lists it. `id` is that of the user, on the page for administrators. */
type TokenRequest = PageRequest<{ token: string; id: string }>

/** Finds whose tokens a request is about, and the path of the page that lists them. */
function placeOf(request: FastifyRequest): { userId: string; path: string } {
  const { id } = request.params as { id?: string }
  if (id === undefined) return { userId: getViewer(request).userId, path: ACCOUNT_PATH }
  return { userId: readUserId(id), path: `${NAVIGATION.users.path}/${id}` }
}

/**
 * Adds the page that revokes a token, below the page that lists it. `pattern` is the pattern of its path, and `findTrail`
 * finds the pages above that of a token.
 */
export function addTokenRevocation(
  app: FastifyInstance,
  { db, company }: PageServices,
  pattern: string,
  findTrail: (request: TokenRequest) => Promise<readonly UpperPage[]>,
): void {
  const { button, done } = TOKEN_ACTIONS.revoke
  addFormPage(app, {
    path: `${pattern}/tokens/:token/revoke`,
    async load(request: TokenRequest) {
      const { token } = await requireToken(db, request)
      return { token, trail: await findTrail(request) }
    },
    render: ({ token, trail }, forms, request) => ({
      title: `Revoke ${token.name}`,
      heading: html`Revoke “<bdi>${token.name}</bdi>”?`,
      trail,
      body: html`<p>All requests with this token will be refused immediately. This can't be undone.</p>
        ${renderForm(forms, 'revoke', { buttons: renderButtons(button, placeOf(request).path, 'danger') })}`,
    }),
    forms: {
      revoke: {
        async run(request) {
          const { token } = await requireToken(db, request)
          await revokeUserToken(company, getActing(request), token.id)
          return { goTo: `${placeOf(request).path}?done=${done}` }
        },
      },
    },
  })
}

async function requireToken(db: LedgerDb, request: TokenRequest): Promise<SeenToken> {
  const { token: id } = request.params
  const seenToken = isId('tok', id) ? await findUserToken(db, getViewer(request).companyId, id) : null
  if (seenToken?.token.userId !== placeOf(request).userId) throw new ProblemError(NO_SUCH_TOKEN)
  return seenToken
}

/** Renders a page of the tokens of a user, newest first, each with a link to revoke it. */
export async function renderTokenList(db: LedgerDb, request: FastifyRequest, whenNone: string): Promise<Html> {
  const { companyId, timeZone } = getViewer(request)
  const { userId, path } = placeOf(request)
  const { cursor, page } = readListQuery(request, 'tok')
  const tokens = await listUserTokens(db, companyId, { userId, ...page })
  const table = renderTokens(tokens.slice(0, ROWS_A_PAGE), path, timeZone)
  return html`${tokens.length === 0 ? html`<p class="empty">${whenNone}</p>` : table}
  ${renderListLinks(path, {}, cursor, tokens, ({ token }) => token.id)}`
}

function renderTokens(tokens: SeenToken[], path: string, timeZone: string): Html {
  return renderTable({
    caption: 'Tokens, newest first',
    columns: [
      { heading: 'Name', cell: ({ token }) => html`<bdi>${token.name}</bdi>` },
      { heading: 'Token', cell: ({ token }) => renderLastFour(token.lastFour) },
      {
        heading: 'Access',
        cell: ({ token }) => (token.scopes === null ? 'Full access' : `Program: ${describeScopes(token.scopes)}`),
      },
      { heading: 'Status', cell: renderTokenStatus },
      { heading: 'Last used', cell: ({ token }) => renderTimeOrNever(token.lastUsed, timeZone) },
      { heading: 'Ends', cell: ({ token }) => renderTime(token.revokedAt ?? token.expiresAt, timeZone) },
      {
        heading: 'Actions',
        isHeadingHidden: true,
        cell: ({ token, now }) =>
          getTokenStatus(token, now) === 'active'
            ? html`<a class="unbroken" href="${path}/tokens/${token.id}/revoke">Revoke<span class="visually-hidden"> <bdi>${token.name}</bdi></span>…</a>`
            : '',
      },
    ],
    rows: tokens,
  })
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
