import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { issueUserToken } from '../../../accounts/users/user-tokens.ts'
import type { TokenScope } from '../../../domain/accounts/roles.ts'
import type { Problem } from '../../../domain/errors.ts'
import { DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import type { SeenToken } from '../../../accounts/users/read-user-tokens.ts'
import { IssueTokenBody } from '../../admin/user-schemas.ts'
import type { PasswordRoute } from './account-password.ts'
import { renderProof, requireProof } from '../parts/proof.ts'
import { addTokenRevocation, renderTokenList } from './token-list.ts'
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
import { ACCOUNT_PATH } from '../parts/navigation.ts'
import { renderCopyWarning, renderCopyable } from '../parts/once.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const PATH = `${ACCOUNT_PATH}/tokens`

/** Adds the routes that create and revoke the user's own tokens. */
export function addTokenRoutes(app: FastifyInstance, services: PageServices, { limits, show }: PasswordRoute): void {
  const { company } = services
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
      await requireProof(services, limits, request, reply)
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

  addTokenRevocation(app, services, ACCOUNT_PATH, placeOf)
}

const placeOf = (request: FastifyRequest) => ({ userId: getViewer(request).userId, path: ACCOUNT_PATH })

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

/** Renders the user's own tokens and the form that creates one. `version` is the user's version. */
export async function renderTokens(
  services: PageServices,
  request: FastifyRequest,
  version: number,
  problem: FormProblem,
): Promise<Html> {
  const {
    name = '',
    expires_in_days: days = String(DEFAULT_TOKEN_DAYS),
    scope = '',
  } = problem ? readFormFields(request.body) : {}
  return html`<h2 id="tokens">Tokens</h2>
    <p>A token lets a program do everything you can do, unless you limit it to the audit endpoint.</p>
    ${await renderTokenList(services.db, request, placeOf(request), 'You have no tokens.')}
    <h3>New token</h3>
    <form method="post" action="${PATH}" class="stack">
      ${renderSeenVersion(version)}
      ${renderField({ name: 'name', label: 'Token name', value: name, maxLength: 120, autocomplete: 'off', hint: 'What uses the token, such as “Nightly export”.' }, problem)}
      ${renderField({ name: 'expires_in_days', label: 'Expires in (days)', type: 'number', value: days, min: 1, max: MAX_TOKEN_DAYS }, problem)}
      ${renderChoice({ name: 'scope', label: 'Access', value: scope, options: SCOPES }, problem)}
      ${await renderProof(services, request, { next: ACCOUNT_PATH, problem, id: 'proof' })}
      <button>Create token</button>
    </form>`
}
