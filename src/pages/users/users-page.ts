import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inviteCompanyUser, type UserWithLink } from '#accounts/users/change-user'
import { MAX_EMAIL_CHARACTERS } from '#domain/attributes'
import { LINK_LIFE_DAYS } from '#domain/accounts/user-lifecycle'
import { listUsers, USER_STATUSES, type UserRecord, getUserStatus } from '#accounts/users/users'
import { InviteBody } from '#api/admin/user-schemas'
import { readEmailField } from '#api/admin/users'
import { listOptions, checkForm, renderButtons } from '#pages/parts/form'
import { addFormPage, addPage, renderForm, type PageContent } from '#pages/parts/form-page'
import {
  isolate,
  html,
  renderTable,
  renderTimeOrNever,
  renderTime,
  renderBadge,
  renderCopyWarning,
  renderCopyable,
  renderActions,
  renderButton,
  renderNameLink,
  renderEmpty,
  renderWarning,
} from '#pages/parts/elements'
import { readListQuery, renderFilter, renderListLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { NAVIGATION } from '#wording/navigation'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { renderBreakable } from '#pages/parts/attribute-values'
import { trimBlanks } from '#text/normalize-text'
import { type Role, ROLES } from '#domain/accounts/roles'
import { buildLinkUrl } from '#accounts/users/email-user'
import { findBaseUrl } from '#http/access/session'

const { path: PATH } = NAVIGATION.users

const LINK_SENT = "The person gets an email with a one-time link, which you'll see too."
const LINK_SHOWN = "You'll get a one-time link to share; no email is sent."

/** `/settings/users`: the list and the invitation form. */
export function addUsersPage(app: FastifyInstance, services: PageServices) {
  const { company } = services
  addPage(app, {
    path: PATH,
    load: (request) => loadUsers(services, request),
    render: ({ cursor, filter, users }, _, request) => ({
      title: 'Users',
      body: html`${renderActions(renderButton(`${PATH}/new`, 'Invite user', 'primary'))}
        ${renderFilter(PATH, { name: 'status', label: 'Status', value: filter.status ?? '', options: FILTERS })}
        ${renderUserTable(users.slice(0, ROWS_A_PAGE), getViewer(request).timeZone)}
        ${renderListLinks(PATH, filter, cursor, users, ({ id }) => id)}`,
    }),
  })
  addFormPage(app, {
    path: `${PATH}/new`,
    load: async () => company.outbox !== undefined,
    render: (sendsEmail, forms) => ({
      title: 'Invite user',
      trail: [NAVIGATION.users],
      body: html`<p>${sendsEmail ? LINK_SENT : LINK_SHOWN} The link works for ${LINK_LIFE_DAYS} days.</p>
        ${renderForm(forms, 'invite', {
          values: { role: 'member' },
          fields: [
            { name: 'email', label: 'Email', type: 'email', maxLength: MAX_EMAIL_CHARACTERS },
            { name: 'name', label: 'Name', maxLength: 120 },
            ROLE_CHOICE,
          ],
          buttons: renderButtons('Invite', PATH),
        })}`,
    }),
    forms: {
      invite: {
        keeps: ['email', 'name', 'role'],
        async issue(request, { email = '', name = '', role = '' }) {
          const body = checkForm(InviteBody, { email: trimBlanks(email), name: trimBlanks(name), role })
          const person = { email: readEmailField(body), name: body.name, role: body.role }
          const invited = await inviteCompanyUser(company, getActing(request), person)
          return { page: showOneTimeLink(request, services, 'User invited', invited) }
        },
      },
    },
  })
}

async function loadUsers({ db }: PageServices, request: FastifyRequest) {
  const { cursor, page, filter } = readListQuery(request, 'usr', USER_STATUSES)
  return { cursor, filter, users: await listUsers(db, getViewer(request).companyId, { ...page, ...filter }) }
}

const FILTERS = listOptions({ active: 'Active', pending: 'Invited', removed: 'Removed' }, 'Active and invited')

function renderUserTable(users: UserRecord[], timeZone: string) {
  if (users.length === 0) return renderEmpty(html`No matching users. <a href="${PATH}">Show all</a>`)
  return renderTable({
    caption: 'Users, newest first',
    isInLines: true,
    columns: {
      Name: (user) => renderNameLink(`${PATH}/${user.id}`, formatUserName(user)),
      Email: { isLong: true, title: ({ email }) => email, cell: ({ email }) => renderBreakable(email || 'Erased') },
      Role: ({ role }) => role,
      Status: renderUserStatus,
      'Signs in with': formatWaysIn,
      'Last sign-in': ({ lastSignInAt }) => renderTimeOrNever(lastSignInAt, timeZone),
    },
    rows: users,
  })
}

/** Whether the user is erased: an erased user has no email. */
export function isErased({ email }: UserRecord) {
  return email === ''
}

/** Returns the display name of a user. */
export function formatUserName(user: UserRecord) {
  return isErased(user) ? 'Erased user' : user.name
}

/** Says how a user signs in. */
export function formatWaysIn({ hasPassword, hasPasskeys, identity, removedAt }: UserRecord) {
  const ways = [
    ...(identity === null ? [] : ['identity provider']),
    ...(hasPassword ? ['password'] : []),
    ...(hasPasskeys ? ['passkey'] : []),
  ]
  return ways.join(', ') || (removedAt === null ? 'nothing yet' : 'nothing')
}

/** Renders the status of a user as a badge. */
export function renderUserStatus(user: UserRecord) {
  switch (getUserStatus(user)) {
    case 'active':
      return renderBadge('good', 'Active')
    case 'pending':
      return renderBadge('warn', 'Invited')
    case 'removed':
      return renderBadge('plain', isErased(user) ? 'Erased' : 'Removed')
  }
}

const RIGHTS: Record<Role, string> = {
  admin: 'admin: full access',
  auditor: 'auditor: event stream, employees over time, and ledger integrity',
  member: 'member: own account only',
}

/** The choice of a role. */
export const ROLE_CHOICE = {
  name: 'role',
  label: 'Role',
  options: ROLES.map((role) => ({ value: role, label: RIGHTS[role] })),
}

/** Returns the page that shows a user's one-time link. */
export function showOneTimeLink(
  request: FastifyRequest,
  { sessions, company: { outbox } }: PageServices,
  title: string,
  { user, linkToken, linkExpiresAt, isEmailed }: UserWithLink,
): PageContent {
  const link = buildLinkUrl(findBaseUrl(request, sessions), linkToken)
  const email = isolate(user.email)
  const sending = isEmailed ? html`You can also send it to ${email} yourself` : html`Send it to ${email}`
  return {
    title,
    body: html`${outbox && renderEmailed(user.email, isEmailed)}
      ${renderCopyWarning('the link')}
      <h2>One-time link for ${isolate(user.name)}</h2>
      ${renderCopyable('link', link, 'Copy link')}
      <p>
        ${sending} over a private channel: anyone who opens it can sign in as this user. It works once, until
        ${renderTime(linkExpiresAt, getViewer(request).timeZone)}.
      </p>
      ${renderActions(renderButton(`${NAVIGATION.users.path}/${user.id}`, 'View user'))}`,
  }
}

function renderEmailed(email: string, isEmailed: boolean) {
  return isEmailed
    ? html`<p class="notice" role="status">An email with the link is on its way to ${isolate(email)}.</p>`
    : renderWarning('No email was sent, because too many have been sent recently. Pass the link on yourself.')
}
