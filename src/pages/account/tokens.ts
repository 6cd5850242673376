import type { FastifyInstance, FastifyRequest } from 'fastify'
import { findUserToken, listUserTokens, type SeenToken } from '#accounts/users/users'
import { NO_SUCH_TOKEN, revokeUserToken, issueUserToken } from '#accounts/users/user-tokens'
import { isId } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { getTokenStatus, IssueTokenBody, TOKEN_ACTIONS } from '#api/admin/user-schemas'
import { readUserId } from '#api/admin/users'
import { ProblemError } from '#http/server/problem'
import { describeScopes, SCOPE_WORDS } from '#wording/token-scopes'
import { ACCOUNT_PATH, NAVIGATION, type UpperPage } from '#wording/navigation'
import { TOKEN_SCOPES, type Role, type TokenScope } from '#domain/accounts/roles'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '#domain/accounts/user-lifecycle'
import { trimBlanks } from '#text/normalize-text'
import {
  isolate,
  renderBadge,
  html,
  renderTable,
  renderTime,
  renderTimeOrNever,
  renderCopyWarning,
  renderCopyable,
  renderQuestionLink,
  renderActions,
  renderButton,
  renderEmpty,
} from '#pages/parts/elements'
import {
  checkForm,
  readSeenVersion,
  readWholeNumber,
  renderFields,
  type FormFields,
  type FormProblem,
  renderHidden,
  renderBox,
  renderBoxes,
} from '#pages/parts/form'
import { renderForm, type PageRequest, type Form, type PageContent, type PageForms } from '#pages/parts/form-page'
import { addQuestionPage, renderProof, requireProof } from '#pages/parts/question-page'
import { readListQuery, renderListLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { renderLastFour } from '#pages/parts/attribute-values'

/* The tokens of a user, on the user's own page and on that for administrators, and the page that revokes one. */

/** A page of a token, below the page that lists it. `id` is that of the user, on the page for administrators. */
type TokenRequest = PageRequest<{ token: string; id: string }>

/** Finds whose tokens a request is about, and the path of the page that lists them. */
function placeOf(request: FastifyRequest) {
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
) {
  const { button, done } = TOKEN_ACTIONS.revoke
  addQuestionPage(app, {
    path: `${pattern}/tokens/:token/revoke`,
    async load(request: TokenRequest) {
      const { token } = await requireToken(db, request)
      return { token, trail: await findTrail(request) }
    },
    ask: ({ token, trail }, request) => ({
      title: `Revoke ${token.name}`,
      heading: html`Revoke “${isolate(token.name)}”?`,
      trail,
      text: html`<p>All requests with this token will be refused immediately. This can't be undone.</p>`,
      button,
      back: placeOf(request).path,
    }),
    async run(request, { token }) {
      await revokeUserToken(company, getActing(request), token.id)
      return `${placeOf(request).path}?done=${done}`
    },
  })
}

async function requireToken(db: LedgerDb, request: TokenRequest) {
  const { token: id } = request.params
  const seenToken = isId('tok', id) ? await findUserToken(db, getViewer(request).companyId, id) : null
  if (seenToken?.token.userId !== placeOf(request).userId) throw new ProblemError(NO_SUCH_TOKEN)
  return seenToken
}

/** Renders a page of the tokens of a user, newest first, each with a link to revoke it. */
export async function renderTokenList(db: LedgerDb, request: FastifyRequest, whenNone: string) {
  const { companyId, timeZone } = getViewer(request)
  const { userId, path } = placeOf(request)
  const { cursor, page } = readListQuery(request, 'tok')
  const tokens = await listUserTokens(db, companyId, { userId, ...page })
  const table = renderTokenTable(tokens.slice(0, ROWS_A_PAGE), path, timeZone)
  return html`${tokens.length === 0 ? renderEmpty(whenNone) : table}
  ${renderListLinks(path, {}, cursor, tokens, ({ token }) => token.id)}`
}

function renderTokenTable(tokens: SeenToken[], path: string, timeZone: string) {
  return renderTable({
    caption: 'Tokens, newest first',
    columns: {
      Name: ({ token }) => isolate(token.name),
      Token: ({ token }) => renderLastFour(token.lastFour),
      Access: ({ token }) => (token.scopes === null ? 'Full access' : `Program: ${describeScopes(token.scopes)}`),
      Status: renderTokenStatus,
      'Last used': ({ token }) => renderTimeOrNever(token.lastUsed, timeZone),
      Ends: ({ token }) => renderTime(token.revokedAt ?? token.expiresAt, timeZone),
      Actions: {
        isHeadingHidden: true,
        cell: ({ token, now }) =>
          getTokenStatus(token, now) === 'active'
            ? renderQuestionLink(`${path}/tokens/${token.id}/revoke`, 'Revoke', token.name)
            : '',
      },
    },
    rows: tokens,
  })
}

const BADGES = {
  active: renderBadge('good', 'Active'),
  expired: renderBadge('plain', 'Expired'),
  revoked: renderBadge('bad', 'Revoked'),
}

/** Renders the status of a token as a badge. */
export function renderTokenStatus({ token, now }: SeenToken) {
  return BADGES[getTokenStatus(token, now)]
}

/** Makes the form that creates a token of the user. */
export function makeTokenForm(services: PageServices): Form<unknown, never> {
  return {
    path: '/tokens',
    keeps: ['name', 'expires_in_days', ...TOKEN_SCOPES, EVERYTHING],
    async issue(request, fields, reply) {
      const { name = '', expires_in_days: days } = fields
      const scopes = TOKEN_SCOPES.filter((scope) => fields[scope] !== undefined)
      const body = checkForm(IssueTokenBody, {
        name: trimBlanks(name),
        expires_in_days: readWholeNumber(days),
        ...(fields[EVERYTHING] === undefined ? { scopes } : {}),
      })
      await requireProof(services, reply)
      const newToken = {
        userId: getViewer(request).userId,
        name: body.name,
        expiresInDays: body.expires_in_days,
        scopes: body.scopes ?? null,
        seen: readSeenVersion(fields),
      }
      const { token, secret } = await issueUserToken(services.company, getActing(request), newToken)
      return { page: showToken(token, secret, getViewer(request).timeZone) }
    },
  }
}

/** Returns the page that shows a new token. */
function showToken(token: SeenToken['token'], secret: string, timeZone: string): PageContent {
  return {
    title: 'Token created',
    body: html`${renderCopyWarning('the token')}
      <h2>“${isolate(token.name)}”, sent as <code>Authorization: Bearer</code></h2>
      ${renderCopyable('token', secret, 'Copy token')}
      <p>It lets a program ${describeScopes(token.scopes)}. It works until ${renderTime(token.expiresAt, timeZone)}.</p>
      ${renderActions(renderButton(ACCOUNT_PATH, 'Go to your account'))}`,
  }
}

/** The box of a token that is not limited. */
const EVERYTHING = 'everything'

/** Renders what the token may do, as far as there is a choice. */
function renderScopes(role: Role, fields: FormFields, problem: FormProblem) {
  if (role === 'member') return renderHidden(EVERYTHING, 'on')
  const boxes: [name: string, words: string][] = scopesOf(role).map((scope) => [scope, SCOPE_WORDS[scope]])
  const all = [...boxes, [EVERYTHING, describeScopes(null)] as const]
  return renderBoxes(
    'scopes',
    'The program may',
    all.map(([name, words]) => renderBox(name, words, fields)),
    problem,
    'Choose what the program may do',
  )
}

function scopesOf(role: Role): readonly TokenScope[] {
  return role === 'admin' ? TOKEN_SCOPES : ['audit']
}

const FIELDS = [
  {
    name: 'name',
    label: 'Token name',
    maxLength: 120,
    hint: 'What uses the token, such as “Nightly export”.',
  },
  { name: 'expires_in_days', label: 'Expires in (days)', type: 'number', min: 1, max: MAX_TOKEN_DAYS },
] as const

/** Renders the user's own tokens and the form that creates one. `version` is the user's version. */
export async function renderTokens(
  services: PageServices,
  forms: PageForms<'token'>,
  request: FastifyRequest,
  version: number,
) {
  const asked = { next: ACCOUNT_PATH, problem: forms.problemOf('token'), id: 'proof' }
  const proof = await renderProof(services, request, asked)
  return html`<h2 id="tokens">Tokens</h2>
    <p>A token lets a program do what you choose here, and never more than you can do.</p>
    ${await renderTokenList(services.db, request, 'You have no tokens.')}
    <h3>New token</h3>
    ${renderForm(forms, 'token', {
      version,
      values: { expires_in_days: String(DEFAULT_TOKEN_DAYS) },
      fields: (fields, problem) => html`
        ${renderFields(FIELDS, fields, problem)} ${renderScopes(getViewer(request).role, fields, problem)} ${proof}
      `,
      buttons: html`<button>Create token</button>`,
    })}`
}
