import type { FastifyInstance, FastifyReply } from 'fastify'
import { findSecretIn } from '#domain/accounts/secrets'
import { isStorableText } from '#domain/storable-text'
import { readFormFields, renderField } from '#pages/parts/form'
import { html, isolate, renderEmpty } from '#pages/parts/elements'
import { sendUserPage } from '#pages/parts/layout'
import {
  NAVIGATION,
  SEARCH_PATH,
  buildEmployeeUrl,
  buildUrl,
  ACCOUNT,
  listNavigationItems,
  REFERENCE_PAGES,
  UPLOAD_PATH,
} from '#wording/navigation'
import { type PageServices, getViewer } from '#pages/parts/context'
import { trimBlanks, foldText } from '#text/normalize-text'
import { searchEmployees } from '#projections/employees/queries'
import { findSecrets } from '#accounts/api-keys/find-secrets'
import { searchUsers } from '#accounts/users/users'
import type { SessionUser } from '#accounts/users/sessions'
import { listWebhooks } from '#accounts/webhooks/read-webhooks'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import { findCalls } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'
import { findFormerPeople } from '#pages/parts/former-people'

/** Something that a search leads to. */
interface SearchTarget {
  /** What it is, such as `API key`. */
  kind: string
  label: string
  /** What tells it from others with the same label; may be empty. */
  detail: string
  href: string
}

/** The targets of each kind. */
const MAX_OF_A_KIND = 5

/** Finds what a text names among what a user may open: pages, actions, people, users, keys, webhooks, and entries. */
async function findTargets(db: LedgerDb, user: SessionUser, text: string): Promise<SearchTarget[]> {
  const pages = listPages(user).filter(({ label }) => foldText(label).includes(foldText(text)))
  if (text === '') return pages
  const isAdmin = user.role === 'admin'
  const seesEmployees = NAVIGATION.employees.roles.some((role) => role === user.role)
  const entries = makeTarget('Search', `Entries with “${text}”`, buildUrl(NAVIGATION.bulkUserLogs.path, { q: text }))
  const events = makeTarget('Search', `Events with “${text}”`, buildUrl(NAVIGATION.events.path, { q: text }))
  return [
    ...(isAdmin ? await findEntries(db, user.companyId, text) : []),
    ...pages.slice(0, MAX_OF_A_KIND),
    ...(seesEmployees ? await findPeople(db, user.companyId, text) : []),
    ...(isAdmin ? await findAccounts(db, user.companyId, text) : []),
    ...(isAdmin ? [entries] : []),
    ...(seesEmployees ? [events] : []),
  ]
}

function makeTarget(kind: string, label: string, href: string, detail = ''): SearchTarget {
  return { kind, label, detail, href }
}

function listPages({ role }: SessionUser): SearchTarget[] {
  const pages = [...listNavigationItems(role), ...REFERENCE_PAGES, ACCOUNT]
  const actions = [
    { path: `${NAVIGATION.apiKeys.path}/new`, label: 'Create API key' },
    { path: `${NAVIGATION.webhooks.path}/new`, label: 'Create webhook' },
    { path: `${NAVIGATION.users.path}/new`, label: 'Invite user' },
    { path: UPLOAD_PATH, label: 'Upload file' },
  ]
  return [
    ...pages.map(({ path, label }) => makeTarget('Page', label, path)),
    ...(role === 'admin' ? actions.map(({ path, label }) => makeTarget('Action', label, path)) : []),
  ]
}

async function findEntries(db: LedgerDb, companyId: string, text: string): Promise<SearchTarget[]> {
  const calls = isId('log', text) ? await findCalls(db, companyId, [text]) : []
  return calls.map(({ id, status, requestedAt: at }) =>
    makeTarget('Entry', id, `${NAVIGATION.bulkUserLogs.path}/${id}`, `${status}, ${at}`),
  )
}

async function findPeople(db: LedgerDb, companyId: string, text: string): Promise<SearchTarget[]> {
  const people = await searchEmployees(db, companyId, text, { after: null, limit: MAX_OF_A_KIND })
  const former = await findFormerPeople(db, companyId, text)
  const toTarget = (person: Employee, detail: string) =>
    makeTarget('Employee', formatFullName(person), buildEmployeeUrl(person.id), detail)
  return [
    ...people.map((person) => toTarget(person, person.email ?? person.external_id ?? '')),
    ...former.slice(0, MAX_OF_A_KIND).map((person) => toTarget(person, `“${text}” is a ${person.former}`)),
  ]
}

/** Finds users, keys and webhooks. */
async function findAccounts(db: LedgerDb, companyId: string, text: string): Promise<SearchTarget[]> {
  const users = await searchUsers(db, companyId, text, MAX_OF_A_KIND)
  const { items } = await findSecrets(db, companyId, { text })
  const keys = items.flatMap(({ key }) => (key ? [key.key] : []))
  const webhooks = (await listWebhooks(db, companyId)).filter(({ webhook: { id, settings } }) =>
    [id, settings.url, settings.description].some((value) => foldText(value).includes(foldText(text))),
  )
  return [
    ...users.map(({ id, name, email }) => makeTarget('User', name, `${NAVIGATION.users.path}/${id}`, email)),
    ...keys
      .slice(0, MAX_OF_A_KIND)
      .map(({ id, name }) => makeTarget('API key', name, `${NAVIGATION.apiKeys.path}/${id}`, id)),
    ...webhooks.slice(0, MAX_OF_A_KIND).map(({ webhook: { id, settings } }) => {
      const { url, description } = settings
      const detail = description === '' ? '' : url
      return makeTarget('Webhook', description || url, `${NAVIGATION.webhooks.path}/${id}`, detail)
    }),
  ]
}

const MAX_TEXT = 254

/**
 * `/settings/search`: leads to any page, person, key, webhook and entry. The text is sent as a form, because names and
 * secrets must not be in an address.
 */
export function addSearchPage(app: FastifyInstance, services: PageServices) {
  app.get(SEARCH_PATH, async (_, reply) => sendSearch(services, reply, ''))
  app.post(SEARCH_PATH, { config: { isHeavyRead: true } }, async (request, reply) => {
    const { q = '' } = readFormFields(request.body)
    return sendSearch(services, reply, trimBlanks(q).slice(0, MAX_TEXT))
  })
}

async function sendSearch({ reads }: PageServices, reply: FastifyReply, text: string) {
  const { request } = reply
  const viewer = getViewer(request)
  const isSearchable = findSecretIn(text) === null && isStorableText(text)
  const db = await reads.of(viewer.companyId, request.left)
  const targets = isSearchable ? await findTargets(db, viewer, text) : listForSecret()
  return sendUserPage(reply, viewer, {
    title: 'Search',
    body: html`<h1>Search</h1>
      <form method="post" action="${SEARCH_PATH}" class="filters" role="search">
        ${renderField(
          {
            name: 'q',
            label: 'Page, person, key or entry',
            hint: 'A name or an ID.',
            value: isSearchable ? text : '',
            maxLength: MAX_TEXT,
            isRequired: false,
            hasFocus: true,
          },
          null,
        )}
        <button class="primary">Search</button>
      </form>
      ${renderTargets(targets)}`,
  })
}

/** A secret is not repeated; the search for keys hashes it. */
function listForSecret(): SearchTarget[] {
  const { path, label } = NAVIGATION.apiKeys
  return [{ kind: 'Page', label, detail: 'Search for a secret there', href: path }]
}

function renderTargets(targets: SearchTarget[]) {
  if (targets.length === 0) return renderEmpty('Nothing has this name or ID.')
  return html`<ul class="places">
    ${targets.map(
      ({ kind, label, detail, href }) =>
        html`<li>
          <a href="${href}"
            ><span class="target-kind">${kind}</span> ${isolate(label)} <span class="hint">${isolate(detail)}</span></a
          >
        </li>`,
    )}
  </ul>`
}
