import { searchEmployees } from '#projections/employees/queries'
import { findSecrets } from '#accounts/api-keys/find-secrets'
import { searchUsers } from '#accounts/users/users'
import type { SessionUser } from '#accounts/users/sessions'
import { listWebhooks } from '#accounts/webhooks/read-webhooks'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { isId } from '#domain/ids'
import { findCalls } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'
import {
  buildEmployeeUrl,
  buildUrl,
  ACCOUNT,
  listNavigationItems,
  NAVIGATION,
  REFERENCE_PAGES,
  UPLOAD_PATH,
} from '#wording/navigation'
import { findFormerPeople } from '#pages/parts/former-people'
import { foldText } from '#text/normalize-text'

/** Something that a search leads to. */
export interface SearchTarget {
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
export async function findTargets(db: LedgerDb, user: SessionUser, text: string): Promise<SearchTarget[]> {
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
