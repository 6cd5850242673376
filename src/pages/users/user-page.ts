import type { FastifyInstance } from 'fastify'
import { unlinkIdentity } from '#accounts/sign-in/sign-in-through-provider'
import { changeUserRole, removeUser, resetUserPassword } from '#accounts/users/change-user'
import type { SessionUser } from '#accounts/users/sessions'
import { type FailedHour, type LastSignIn, findLastSignIn, listFailedHours } from '#accounts/users/sign-in-records'
import { LINK_LIFE_DAYS } from '#domain/accounts/user-lifecycle'
import { findUser, type UserRecord } from '#accounts/users/users'
import { eraseUser } from '#personal-data/erase-user'
import { reportUser } from '#personal-data/report-user'
import { RoleBody, TOKEN_ACTIONS, USER_ACTIONS } from '#api/admin/user-schemas'
import { readUserId, requireUser } from '#api/admin/users'
import { addTokenRevocation, renderTokenList } from '#pages/account/tokens'
import {
  listNotices,
  renderConfirmedAction,
  addFormPage,
  type PageForms,
  type PageRequest,
  renderForm,
} from '#pages/parts/form-page'
import { addQuestionPage } from '#pages/parts/question-page'
import { buildUrl, ACCOUNT_PATH, NAVIGATION } from '#wording/navigation'
import {
  isolate,
  renderClient,
  renderFacts,
  renderId,
  html,
  renderTable,
  renderTime,
  renderActions,
  renderButton,
  renderCode,
  renderWarning,
} from '#pages/parts/elements'
import { checkForm } from '#pages/parts/form'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { renderReportForm, sendReportFile } from '#pages/parts/report-download'
import { formatAttempts, SIGNED_IN_WITH } from '#pages/parts/sign-in-words'
import { renderBreakable } from '#pages/parts/attribute-values'
import { showOneTimeLink, formatUserName, isErased, formatWaysIn, renderUserStatus, ROLE_CHOICE } from './users-page.ts'

const { path: PATH } = NAVIGATION.users

type UserRequest = PageRequest<{ id: string }>

/** `/settings/users/{id}`: one user, with everything that can be done with it. */
export function addUserPage(app: FastifyInstance, services: PageServices) {
  const { company } = services
  addFormPage(app, {
    path: `${PATH}/:id`,
    load: (request: UserRequest) => loadUser(services, request),
    render: async (user, forms, request) => ({
      title: formatUserName(user),
      trail: [NAVIGATION.users],
      body: html`${renderUserFacts(user, getViewer(request).timeZone)}
        ${await renderSignIns(services, getViewer(request), user)}
        ${user.isRemoved ? renderRemovedUser(user) : renderUserActions(services, user, request, forms)}
        <h2 id="tokens">Tokens</h2>
        ${await renderTokenList(services.db, request, 'This user has no tokens.')}
        ${renderReportForm(forms, 'Personal data', 'Everything that the service stores about this user.')}`,
    }),
    notices: {
      unlinked: 'User unlinked. The sessions that began at the identity provider have ended.',
      role: 'Role changed. It applies from the next request.',
      ...listNotices(TOKEN_ACTIONS),
      ...listNotices(USER_ACTIONS),
    },
    forms: {
      role: {
        path: '/role',
        async run(request, { role: given = '' }) {
          const { role } = checkForm(RoleBody, { role: given })
          const { id } = request.params
          await changeUserRole(company, getActing(request), readUserId(id), role)
          // Someone who just gave up the administrator role may not open this page again.
          return id === getViewer(request).userId ? { goTo: '/' } : { done: 'role' }
        },
      },
      unlink: {
        path: '/unlink',
        async run(request) {
          await unlinkIdentity(company, getActing(request), readUserId(request.params.id))
          return { done: 'unlinked' }
        },
      },
      report: {
        path: '/personal-data',
        config: { isHeavyRead: true },
        async run(request, _, reply) {
          const report = await reportUser(company, getActing(request), readUserId(request.params.id))
          return sendReportFile(services, request, reply, report)
        },
      },
    },
  })
  addTokenRevocation(app, services, `${PATH}/:id`, async (request) => placeOf(await loadUser(services, request)).trail)
  addPasswordReset(app, services)
  addUserRemoval(app, services)
  addUserErasure(app, services)
}

/** Finds the user in the path. Throws `user_not_found`. */
async function loadUser({ db }: PageServices, request: UserRequest) {
  return requireUser(await findUser(db, getViewer(request).companyId, readUserId(request.params.id)))
}

/** The pages above those about one user, and the way back. */
function placeOf(user: UserRecord) {
  const path = `${PATH}/${user.id}`
  return { trail: [NAVIGATION.users, { label: formatUserName(user), path }] as const, back: path }
}

function renderUserFacts(user: UserRecord, timeZone: string) {
  const { identity, linkExpiresAt, removedAt } = user
  return renderFacts({
    Status: renderUserStatus(user),
    Email: renderBreakable(user.email || 'Erased'),
    Role: user.role,
    Passkeys: user.hasPasskeys && 'Yes',
    'Signs in with': formatWaysIn(user),
    Account: identity !== null && html`${renderCode(identity.subject)} at ${isolate(identity.issuer)}`,
    Created: renderTime(user.createdAt, timeZone),
    'One-time link': linkExpiresAt !== null && html`Expires ${renderTime(linkExpiresAt, timeZone)}`,
    Removed: removedAt !== null && renderTime(removedAt, timeZone),
    ID: renderId('user-id', user.id),
  })
}

function renderRemovedUser(user: UserRecord) {
  if (isErased(user)) return html`<p>The name and email were erased. Past actions stay recorded under the ID.</p>`
  return html`<p>
      Removed users stay listed so that their past actions keep a name. To restore access, invite the person again.
    </p>
    ${renderActions(renderButton(`${PATH}/${user.id}/erase`, 'Erase…', 'danger'))}`
}

/** Names what gives a user a new one-time link: without a password, there is none to reset. */
function nameReset({ hasPassword }: UserRecord, { company: { outbox } }: PageServices) {
  if (hasPassword) return { button: 'Reset password', done: 'Password reset' }
  return { button: outbox ? 'Send new link' : 'Create new link', done: 'New link created' }
}

function renderUserActions(
  services: PageServices,
  user: UserRecord,
  request: UserRequest,
  forms: PageForms<'role' | 'unlink' | 'report'>,
) {
  const { id, role: current, identity } = user
  const isOwn = id === getViewer(request).userId
  const reset = renderButton(`${PATH}/${id}/reset-password`, `${nameReset(user, services).button}…`)
  const warning = renderWarning('This is you: only another administrator can give you this role back.')
  const unlinking = { label: 'Unlink', text: UNLINKING, action: forms.actionOf('unlink') }
  return html`<h2>Role</h2>
    ${isOwn && warning}
    ${renderForm(forms, 'role', {
      values: { role: current },
      fields: [ROLE_CHOICE],
      buttons: html`<button class="primary">Change role</button>`,
    })}
    <h2>Access</h2>
    <p class="actions">
      ${!isOwn && reset}
      ${renderButton(`${PATH}/${id}/remove`, 'Remove…', 'danger')}
    </p>
    ${identity !== null && renderConfirmedAction(unlinking)}`
}

const UNLINKING =
  'The account at the identity provider no longer signs this user in. With a verified email, the next sign-in there ' +
  'links it again.'

/** `/settings/users/{id}/reset-password`: asks before a user's password is replaced by a one-time link. */
function addPasswordReset(app: FastifyInstance, services: PageServices) {
  const { company } = services
  const newLink = company.outbox
    ? "An email brings a new one-time link, which you'll see too."
    : "You'll get a new one-time link to share."
  addQuestionPage(app, {
    path: `${PATH}/:id/reset-password`,
    load: (request: UserRequest) => loadUser(services, request),
    ask(user, request) {
      if (user.id === getViewer(request).userId) return { elsewhere: ACCOUNT_PATH }
      const { button } = nameReset(user, services)
      const replaced = listReplaced(user)
      return {
        title: `${button} for ${user.name}`,
        heading: html`${button} for ${isolate(user.name)}?`,
        ...placeOf(user),
        text: html`<p>
          ${replaced} and all sessions of ${isolate(user.email)} stop working immediately.
          ${newLink} It works for ${LINK_LIFE_DAYS} days. Tokens keep working.
        </p>`,
        version: user.version,
        button,
      }
    },
    async issue(request, user, seen) {
      const reset = await resetUserPassword(company, getActing(request), user.id, seen)
      return showOneTimeLink(request, services, nameReset(user, services).done, reset)
    },
  })
}

/** Lists what a new one-time link replaces, as the beginning of a sentence. */
function listReplaced({ hasPassword, hasPasskeys, identity }: UserRecord) {
  return [
    'Earlier one-time links',
    ...(hasPassword ? ['the current password'] : []),
    ...(hasPasskeys ? ['the passkeys', 'the recovery codes'] : []),
    ...(identity === null ? [] : ['the link to the account at the identity provider']),
  ].join(', ')
}

/** `/settings/users/{id}/remove`: asks before a user is removed. The page of the user says that it was. */
function addUserRemoval(app: FastifyInstance, services: PageServices) {
  const { button, done } = USER_ACTIONS.remove
  addQuestionPage(app, {
    path: `${PATH}/:id/remove`,
    load: (request: UserRequest) => loadUser(services, request),
    ask: (user, request) => ({
      title: `Remove ${user.name}`,
      heading: html`Remove ${isolate(user.name)}?`,
      ...placeOf(user),
      text: html`<p>
          The password${user.hasPasskeys && ', passkeys'}, one-time link, tokens and all sessions of
          ${isolate(user.email)} stop working immediately. Past actions keep the person's name in the ledger. To restore
          access later, invite the person again.
        </p>
        ${user.id === getViewer(request).userId && renderWarning("This is you: you'll be signed out immediately.")}`,
      button,
    }),
    async run(request, { id }) {
      await removeUser(services.company, getActing(request), id)
      return `${PATH}/${id}?done=${done}`
    },
  })
}

/** `/settings/users/{id}/erase`: forgets a removed user. */
function addUserErasure(app: FastifyInstance, services: PageServices) {
  const { button, done } = USER_ACTIONS.erase
  addQuestionPage(app, {
    path: `${PATH}/:id/erase`,
    load: (request: UserRequest) => loadUser(services, request),
    ask: (user) => ({
      title: `Erase ${formatUserName(user)}`,
      heading: html`Erase ${isolate(formatUserName(user))}?`,
      ...placeOf(user),
      text: html`${renderFacts({
        Name: isolate(formatUserName(user)),
        Email: isolate(user.email || 'Erased'),
      })}
        ${renderWarning("This can't be undone.")}
        <p>
          The name, email address, and names of tokens and passkeys are deleted, also from the ledger. Actions and roles
          stay recorded under the ID ${renderCode(user.id)}, but no one can tell who it was.
        </p>`,
      typed: user.email || user.id,
      button,
    }),
    async run(request, { id }) {
      await eraseUser(services.company, getActing(request), id)
      return `${PATH}/${id}?done=${done}`
    },
  })
}

const HOURS_SHOWN = 5

/** Renders a user's last sign-in and the latest failed ones. */
async function renderSignIns({ db }: PageServices, viewer: SessionUser, { id: userId }: UserRecord) {
  const { companyId, timeZone } = viewer
  const last = await findLastSignIn(db, { companyId, userId })
  const failed = await listFailedHours(db, { companyId, userId }, HOURS_SHOWN)
  const all = buildUrl(NAVIGATION.events.path, { id: userId, type: 'signIns' })
  return html`<h2>Sign-ins</h2>
    ${last ? renderLastSignIn(last, timeZone) : html`<p>No sign-in has been recorded.</p>`}
    ${failed.length !== 0 && renderFailedHours(failed, timeZone)}
    <p><a href="${all}">All sign-ins in the event stream</a></p>`
}

function renderLastSignIn({ at, method, client }: LastSignIn, timeZone: string) {
  return renderFacts({
    'Last sign-in': html`${renderTime(at, timeZone)}, ${SIGNED_IN_WITH[method]}`,
    From: client && renderClient(client),
  })
}

function renderFailedHours(hours: FailedHour[], timeZone: string) {
  return html`<h3>Failed sign-ins</h3>
    ${renderTable({
      caption: 'Failed sign-ins, the latest first',
      columns: {
        'Last attempt in an hour': ({ lastAt }) => renderTime(lastAt, timeZone),
        Attempts: ({ attempts }) => formatAttempts(attempts),
        'Last one from': ({ client }) => (client ? renderClient(client) : ''),
      },
      rows: hours,
    })}`
}
