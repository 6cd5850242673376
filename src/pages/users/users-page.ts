import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inviteCompanyUser } from '../../accounts/users/change-user.ts'
import { MAX_EMAIL_CHARACTERS } from '../../domain/attributes.ts'
import { LINK_LIFE_DAYS } from '../../domain/accounts/user-lifecycle.ts'
import { listUsers, USER_STATUSES, type UserRecord } from '../../accounts/users/users.ts'
import { InviteBody } from '../../api/admin/user-schemas.ts'
import { readEmailField } from '../../api/admin/users.ts'
import { listOptions, checkForm, renderButtons } from '../parts/form.ts'
import { addFormPage, addPage, renderForm } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { readListQuery, renderFilter, renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '../../wording/navigation.ts'
import { showOneTimeLink, formatWaysIn, formatUserName, renderUserStatus, ROLE_CHOICE } from './user-facts.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderBreakable } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'
import { renderTimeOrNever } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { trimBlanks } from '../../text/normalize-text.ts'

const { path: PATH } = NAVIGATION.users

/** `/settings/users`: the list and the invitation form. */
export function addUsersPage(app: FastifyInstance, services: PageServices): void {
  const { company } = services
  addPage(app, {
    path: PATH,
    load: (request) => loadUsers(services, request),
    render: ({ cursor, filter, users }, _, request) => ({
      title: 'Users',
      body: html`<p class="actions"><a class="button primary" href="${PATH}/new">Invite user</a></p>
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
      body: html`<p>${sendsEmail ? "The person gets an email with a one-time link, which you'll see too." : "You'll get a one-time link to share; no email is sent."} The link works for ${LINK_LIFE_DAYS} days.</p>
        ${renderForm(forms, 'invite', {
          values: { role: 'member' },
          fields: [
            { name: 'email', label: 'Email', type: 'email', maxLength: MAX_EMAIL_CHARACTERS, autocomplete: 'off' },
            { name: 'name', label: 'Name', maxLength: 120, autocomplete: 'off' },
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

function renderUserTable(users: UserRecord[], timeZone: string): Html {
  if (users.length === 0) return html`<p class="empty">No matching users. <a href="${PATH}">Show all</a></p>`
  return renderTable({
    caption: 'Users, newest first',
    isInLines: true,
    columns: [
      {
        heading: 'Name',
        cell: (user) => html`<a href="${PATH}/${user.id}"><bdi>${formatUserName(user)}</bdi></a>`,
      },
      {
        heading: 'Email',
        isLong: true,
        title: ({ email }) => email,
        cell: ({ email }) => renderBreakable(email || 'Erased'),
      },
      { heading: 'Role', cell: ({ role }) => role },
      { heading: 'Status', cell: renderUserStatus },
      { heading: 'Signs in with', cell: formatWaysIn },
      { heading: 'Last sign-in', cell: ({ lastSignInAt }) => renderTimeOrNever(lastSignInAt, timeZone) },
    ],
    rows: users,
  })
}
