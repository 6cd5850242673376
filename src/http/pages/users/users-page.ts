import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { inviteCompanyUser } from '../../../accounts/users/invite-user.ts'
import { MAX_EMAIL_CHARACTERS } from '../../../domain/attributes.ts'
import { LINK_LIFE_DAYS } from '../../../domain/accounts/user-lifecycle.ts'
import type { UserRecord, UserStatus } from '../../../accounts/users/users.ts'
import { listUsers } from '../../../accounts/users/users.ts'
import { InviteBody, USER_STATUSES } from '../../admin/user-schemas.ts'
import { readEmailField } from '../../admin/users.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import {
  listOptions,
  toFormProblem,
  checkForm,
  renderChoice,
  renderField,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { sendOneTimeLink } from './one-time-link.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { listWaysIn, renderRoleChoice, formatUserName, renderUserStatus } from './user-facts.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.users

/** `/settings/users`: the list and the invitation form. Sending the form twice fails: the email is then taken. */
export function addUsersPage(app: FastifyInstance, services: PageServices): void {
  app.get(PATH, (request, reply) => sendUserList(services, request, reply))
  const showForm = (request: FastifyRequest, reply: FastifyReply, problem: FormProblem) =>
    sendInviteForm(services, request, reply, problem)
  app.get(`${PATH}/new`, (request, reply) => showForm(request, reply, null))
  const keptForm = { fields: ['email', 'name', 'role'], show: showForm }
  app.post(`${PATH}/new`, { config: { keptForm } }, async (request, reply) => {
    try {
      const { email = '', name = '', role = '' } = readFormFields(request.body)
      const body = checkForm(InviteBody, { email: email.trim(), name: name.trim(), role })
      const person = { email: readEmailField(body), name: body.name, role: body.role }
      const invited = await inviteCompanyUser(services.company, getActing(request), person)
      return await sendOneTimeLink(request, reply, services, 'User invited', invited)
    } catch (error) {
      return showForm(request, reply, toFormProblem(error))
    }
  })
}

async function sendInviteForm(
  { company: { outbox } }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const { email = '', name = '', role = 'member' } = problem ? readFormFields(request.body) : {}
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: 'Invite user',
    body: html`${renderBreadcrumb(NAVIGATION.users)}
      <h1>Invite user</h1>
      ${renderFormAlert(problem)}
      <p>${outbox ? "The person gets an email with a one-time link, which you'll see too." : "You'll get a one-time link to share; no email is sent."} The link works for ${LINK_LIFE_DAYS} days.</p>
      <form method="post" action="${PATH}/new" class="stack">
        ${renderField({ name: 'email', label: 'Email', type: 'email', value: email, maxLength: MAX_EMAIL_CHARACTERS, autocomplete: 'off' }, problem)}
        ${renderField({ name: 'name', label: 'Name', value: name, maxLength: 120, autocomplete: 'off' }, problem)}
        ${renderRoleChoice(role, problem)}
        <div class="actions"><button class="primary">Invite</button><a class="button" href="${PATH}">Cancel</a></div>
      </form>`,
  })
}

async function sendUserList({ db }: PageServices, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { cursor, status: requestedStatus } = readFormFields(request.query)
  const status = USER_STATUSES.find((one) => one === requestedStatus)
  const before = cursor === undefined ? {} : { before: decodeIdCursor('usr', cursor) }
  const filter: { status?: UserStatus } = status === undefined ? {} : { status }
  const users = await listUsers(db, viewer.companyId, { limit: ROWS_A_PAGE + 1, ...before, ...filter })
  return sendUserPage(request, reply, viewer, {
    title: 'Users',
    body: html`<h1>Users</h1>
      <p class="actions"><a class="button primary" href="${PATH}/new">Invite user</a></p>
      ${renderUserFilter(status ?? '')} ${renderUserTable(users.slice(0, ROWS_A_PAGE), viewer.timeZone)}
      ${renderListLinks(PATH, filter, cursor, users, ({ id }) => id)}`,
  })
}

const FILTERS = listOptions({ active: 'Active', pending: 'Invited', removed: 'Removed' }, 'Active and invited')

function renderUserFilter(status: string): Html {
  return html`<form method="get" action="${PATH}" class="filters">
    ${renderChoice({ name: 'status', label: 'Status', value: status, options: FILTERS }, null)}
    <div class="actions"><button>Filter</button></div>
  </form>`
}

function renderUserTable(users: UserRecord[], timeZone: string): Html {
  if (users.length === 0) return html`<p class="empty">No matching users. <a href="${PATH}">Show all</a></p>`
  return html`<table class="cards rows">
    <caption class="visually-hidden">
      Users, newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Email</th>
        <th scope="col">Role</th>
        <th scope="col">Status</th>
        <th scope="col">Signs in with</th>
        <th scope="col">Last sign-in</th>
      </tr>
    </thead>
    <tbody>
      ${users.map(
        (user) =>
          html`<tr>
            <th scope="row">
              <a href="${PATH}/${user.id}"><bdi>${formatUserName(user)}</bdi></a>
            </th>
            <td data-label="Email" class="long"><bdi>${user.email}</bdi></td>
            <td data-label="Role">${user.role}</td>
            <td data-label="Status">${renderUserStatus(user)}</td>
            <td data-label="Signs in with">${listWaysIn(user).join(', ')}</td>
            <td data-label="Last sign-in">${user.lastSignInAt === null ? '' : renderTime(user.lastSignInAt, timeZone)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
