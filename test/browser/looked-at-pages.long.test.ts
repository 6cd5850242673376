import { readFileSync } from 'node:fs'
import t from 'tap'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { startService } from '../support/service.ts'

/*
 * A real browser has looked at every page, in both color schemes and at every width. The table names the test that
 * does it; a page missing from it fails, so that new ones can't be forgotten.
 */

const LOOKED_AT: Record<string, string> = {
  '/sign-in': 'sign-in/sign-in',
  '/sign-in/forgot-password': 'sign-in/forgot-password',
  '/sign-in/:company': 'sign-in/company-provider',
  // Both are pages only when something fails.
  '/sign-in/:company/start': 'sign-in/company-provider',
  '/sign-in/:company/callback': 'sign-in/company-provider',
  '/invitation': 'shown-once',
  '/problems': 'sign-in/sign-in',
  '/problems/:code': 'sign-in/sign-in',
  '/account': 'account',
  '/account/provider': 'sign-in/company-provider',
  '/account/passkeys/new': 'sign-in/passkeys',
  '/account/passkeys/:id/remove': 'sign-in/passkeys',
  '/account/recovery-codes': 'sign-in/passkeys',
  '/account/tokens/:token/revoke': 'account',
  '/settings/users/:id/tokens/:token/revoke': 'users',
  '/settings/search': 'search',
  '/settings/attention': 'monday-morning',
  '/settings/attention/snooze': 'monday-morning',
  '/settings/bulk-user-logs': 'bulk-user-logs/list',
  '/settings/bulk-user-logs/upload': 'bulk-user-logs/corrected-file',
  '/settings/bulk-user-logs/upload/:id': 'bulk-user-logs/corrected-file',
  '/settings/bulk-user-logs/upload/:id/undo': 'bulk-user-logs/looks',
  '/settings/bulk-user-logs/:log_id': 'bulk-user-logs/looks',
  '/settings/bulk-user-logs/:log_id/records/:index': 'bulk-user-logs/looks',
  '/settings/bulk-user-logs/:log_id/fix': 'bulk-user-logs/looks',
  '/settings/bulk-user-logs/:log_id/undo': 'bulk-user-logs/looks',
  '/settings/bulk-user-logs/refusals': 'bulk-user-logs/looks',
  '/settings/api-keys': 'api-keys',
  '/settings/api-keys/new': 'api-keys',
  '/settings/api-keys/:id': 'api-keys',
  '/settings/api-keys/:id/revoke': 'api-keys',
  '/settings/webhooks': 'webhooks',
  '/settings/webhooks/new': 'webhooks',
  '/settings/webhooks/:id': 'webhooks',
  '/settings/webhooks/:id/deliveries': 'webhooks',
  '/settings/webhooks/:id/deliveries/:delivery_id': 'webhooks',
  '/settings/webhooks/:id/remove': 'webhooks',
  '/settings/sign-in': 'sign-in/providers',
  '/settings/sign-in/new': 'sign-in/providers',
  '/settings/usage': 'usage',
  '/settings/users': 'users',
  '/settings/users/new': 'users',
  '/settings/users/:id': 'users',
  '/settings/users/:id/reset-password': 'users',
  '/settings/users/:id/remove': 'users',
  '/settings/users/:id/erase': 'erasing',
  '/settings/events': 'event-stream',
  '/settings/events/:position': 'event-stream',
  '/settings/employees': 'employees-over-time',
  '/settings/employees/:id': 'employees-over-time',
  '/settings/employees/:id/edit': 'bulk-user-logs/looks',
  '/settings/employees/erase': 'erasing',
  '/settings/employees/:id/erase': 'erasing',
  '/settings/employees/personal-data': 'personal-data',
  '/settings/ledger': 'ledger-integrity',
  '/settings/ledger/evidence': 'evidence',
  '/verify': 'evidence',
  '/verify/format': 'evidence',
  '/settings/health': 'system-health',
  '/settings/company': 'company',
  '/docs': 'reference',
  '/docs/:id': 'reference',
  // The page for “not found”.
  '/settings/*': 'sign-in/sign-in',
  '/account/*': 'sign-in/sign-in',
}

/** Routes that are not pages of the interface: endpoints, files, redirections, and a fragment. */
const NO_PAGES = [
  /^\/(?:v1|admin\/v1|audit\/v1|scim\/v2)\//,
  /^\/(?:livez|readyz|openapi\.json)$/,
  /^\/assets(?:\/|$)/,
  /^\/(?:settings)?$/,
  /\/rows$/,
  /\/template\.csv$/,
  /\/(?:checkpoint|jwks)$/,
  /^\/verify\/verify_ledger\./,
  /^\/(?:client\.tgz|docs\.md|llms\.txt)$/,
  /\/evidence\/(?:file|stored)$/,
]

/** Answers without an address of their own: each is looked at after its form is sent. */
const ANSWERS = [
  'API key created',
  'Secret rotated',
  'Webhook created',
  'Webhook secret rotated',
  'User invited',
  'New link created',
  'Password reset',
  'Token created',
  'Password set',
]

await t.test('the table has every page that can be opened, and no other', async (t) => {
  const routes = collectRoutes()
  await startService(t)
  const pages = routes.filter(({ method, url }) => method === 'GET' && !NO_PAGES.some((pattern) => pattern.test(url)))
  t.strictSame(Object.keys(LOOKED_AT).toSorted(), [...new Set(pages.map(({ url }) => url))].toSorted())
})

await t.test('each test that the table names looks at pages', async (t) => {
  for (const name of new Set(Object.values(LOOKED_AT))) t.match(textOf(name), /looksOf\(/, name)
})

await t.test('each answer that is shown once is looked at', async (t) => {
  const text = textOf('shown-once')
  for (const heading of ANSWERS) t.ok(text.includes(`'${heading}'`), heading)
})

function textOf(name: string): string {
  return readFileSync(new URL(`./${name}.long.test.ts`, import.meta.url), 'utf8')
}
