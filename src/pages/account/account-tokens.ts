import type { FastifyRequest } from 'fastify'
import { issueUserToken } from '#accounts/users/user-tokens'
import { TOKEN_SCOPES, type Role, type TokenScope } from '#domain/accounts/roles'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '#domain/accounts/user-lifecycle'
import type { SeenToken } from '#accounts/users/read-user-tokens'
import { IssueTokenBody } from '#api/admin/user-schemas'
import { html, type Html } from '../parts/html.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { renderTokenList } from './token-list.ts'
import { checkForm, findError, readSeenVersion, readWholeNumber, renderFields } from '../parts/form.ts'
import type { FormFields, FormProblem } from '../parts/form.ts'
import { renderForm, type Form, type PageContent, type PageForms } from '../parts/form-page.ts'
import { ACCOUNT_PATH } from '#wording/navigation'
import { describeScopes, SCOPE_WORDS } from '#wording/token-scopes'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { trimBlanks } from '#text/normalize-text'

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
      <h2>“<bdi>${token.name}</bdi>”, sent as <code>Authorization: Bearer</code></h2>
      ${renderCopyable('token', secret, 'Copy token')}
      <p>It lets a program ${describeScopes(token.scopes)}. It works until ${renderTime(token.expiresAt, timeZone)}.</p>
      <p><a class="button" href="${ACCOUNT_PATH}">Go to your account</a></p>`,
  }
}

/** The box of a token that is not limited. */
const EVERYTHING = 'everything'

/** Renders what the token may do, as far as there is a choice. */
function renderScopes(role: Role, fields: FormFields, problem: FormProblem): Html {
  if (role === 'member') return html`<input type="hidden" name="${EVERYTHING}" value="on" />`
  const fault = findError('scopes', 'Access', problem)
  const boxes: [name: string, words: string][] = scopesOf(role).map((scope) => [scope, SCOPE_WORDS[scope]])
  return html`<fieldset class="boxes" ${fault === undefined ? '' : html`aria-describedby="scopes-fault"`}>
    <legend>The program may</legend>
    ${[...boxes, [EVERYTHING, describeScopes(null)]].map(([name = '', words = '']) => {
      const checked = fields[name] === undefined ? '' : html`checked`
      return html`<label><input type="checkbox" name="${name}" ${checked} /> ${words}</label>`
    })}
    ${fault === undefined ? '' : html`<p class="fault" id="scopes-fault">Choose what the program may do</p>`}
  </fieldset>`
}

function scopesOf(role: Role): readonly TokenScope[] {
  return role === 'admin' ? TOKEN_SCOPES : ['audit']
}

const FIELDS = [
  {
    name: 'name',
    label: 'Token name',
    maxLength: 120,
    autocomplete: 'off',
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
): Promise<Html> {
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
