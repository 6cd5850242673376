import t from 'tap'
import { quarterOf } from '../../src/admission/budget.ts'
import { collectRoutes } from '../support/http/registered-routes.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { send, startService } from '../support/service.ts'

/* What bounds each route, and that another company is answered whatever a company sends to it. */

const routes = collectRoutes()
const service = await startService(t, { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0' })
const SHARE = quarterOf(service.config.POOL_SIZE)
const { key, admin } = service.company
const other = await service.makeCompany('Other')
const cookie = await cookieOf(service, admin)
const { body: scimKey } = await service.manage('POST', '/api-keys', { name: 'Okta', scopes: ['scim'] })

const HEAVY = [
  'GET /v1/employees',
  'GET /scim/v2/Users',
  'GET /admin/v1/bulk-user-logs',
  'GET /admin/v1/bulk-user-logs.csv',
  'GET /admin/v1/bulk-user-logs/:log_id/records',
  'GET /admin/v1/bulk-user-logs/:log_id/records.csv',
  'GET /admin/v1/bulk-user-logs/:log_id/failed-records.json',
  'POST /admin/v1/secrets/find',
  'GET /admin/v1/bulk-user-logs/:log_id/failed-records.csv',
  'GET /admin/v1/bulk-user-logs/failed-records.csv',
  'GET /admin/v1/refusals/failed-records.csv',
  'GET /admin/v1/employees.csv',
  'GET /admin/v1/employees.xlsx',
  'GET /admin/v1/uploads/:id/not-applied.csv',
  'PUT /admin/v1/uploads/:id/missing',
  'POST /admin/v1/erasures',
  'POST /admin/v1/personal-data-reports',
  'POST /admin/v1/webhooks/:id/ping',
  'POST /admin/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
  'GET /audit/v1/events',
  'GET /audit/v1/evidence',
  'GET /audit/v1/employees/:id',
  'GET /audit/v1/tlog/:company_id/tile/entries/*',
  'GET /settings/bulk-user-logs',
  'GET /settings/bulk-user-logs/rows',
  'GET /settings/bulk-user-logs/:log_id',
  'POST /admin/v1/bulk-user-logs/:log_id/undo',
  'GET /settings/bulk-user-logs/:log_id/undo',
  'POST /settings/bulk-user-logs/:log_id/undo',
  'GET /settings/bulk-user-logs/upload/:id/undo',
  'GET /settings/bulk-user-logs/:log_id/fix',
  'POST /settings/bulk-user-logs/:log_id/fix',
  'POST /settings/bulk-user-logs/upload/:id/missing',
  'GET /settings/employees',
  'GET /settings/employees/:id',
  'GET /settings/employees/:id/edit',
  'POST /settings/employees/:id/edit',
  'POST /settings/employees/:id/edit/status',
  'GET /settings/employees/:id/erase',
  'POST /settings/employees/:id/erase',
  'POST /settings/employees/erase',
  'POST /settings/employees/personal-data',
  'POST /settings/users/:id/personal-data',
  'POST /account/personal-data',
  'GET /settings/events',
  'GET /settings/ledger',
  'GET /settings/ledger/checkpoint',
  'GET /settings/ledger/evidence',
  'GET /settings/ledger/evidence/file',
  'GET /settings/ledger/evidence/stored',
  'POST /settings/api-keys',
  'POST /settings/search',
  'POST /settings/sign-in/check',
  'POST /settings/webhooks/:id/ping',
  'POST /settings/webhooks/:id/deliveries/:delivery_id/redeliver',
]

/** The budgets, and the routes that each of them bounds. The first one that a route fits counts. */
const BUDGETS = {
  'no connection':
    /^GET \/(?:openapi\.json|client\.tgz|scim\/v2\/(?:ServiceProviderConfig|(?:ResourceTypes|Schemas)(?:\/:id)?)|llms\.txt|livez|assets\/.*|problems.*|docs.*|verify.*)?$/,
  'connections for access':
    /^(?:GET \/(?:readyz|v1\/auth\/verify)|\w+ \/scim\/v2\/(?:Groups(?:\/:id)?|Users\/\.search))$/,
  'lanes of calls': /^(?:(?:POST|PATCH|PUT) \/v1\/employees|(?:POST|PUT|PATCH|DELETE) \/scim\/v2\/Users)(?:\/:id)?$/,
  'streams of a user and of a company': /^GET \/(?:admin|audit)\/v1\/.*\/stream$/,
  'heavy reads of a company, and its connections': new RegExp(
    `^(?:${HEAVY.join('|').replaceAll('.', String.raw`\.`)})$`,
  ),
  'connections of whoever is not signed in': /^(?:GET|POST) \/(?:sign-in|invitation|admin\/v1\/invitations)(?:\/.*)?$/,
  'connections of a company': /^\w+ \/(?:v1|scim\/v2|admin\/v1|audit\/v1|settings|account|sign-out)(?:\/.*)?$/,
}
type Budget = keyof typeof BUDGETS

const ROUTES = routes.filter(({ method }) => method !== 'HEAD')
const nameOf = ({ method, url }: { method: string; url: string }) => `${method} ${url}`
const budgetOf = (route: string) => (Object.keys(BUDGETS) as Budget[]).find((budget) => BUDGETS[budget].test(route))

await t.test('every route has a budget', (t) => {
  for (const route of ROUTES) t.ok(budgetOf(nameOf(route)), nameOf(route))
  const marked = ROUTES.filter(({ isHeavy }) => isHeavy).map(nameOf)
  t.strictSame(new Set(marked), new Set(HEAVY), 'heavy reads are marked')
  t.end()
})

/** Sends a request to a route as the company: one that looks something up, and changes nothing that others need. */
async function request({ method, url }: { method: string; url: string }): Promise<number> {
  const path = url.replaceAll(/:\w+|\*/g, 'x')
  const isPage = !/^\/(?:v1|scim|admin|audit)\//.test(url)
  if (isPage && method === 'POST') return (await browse(service, path, { cookie, form: {} })).status
  if (isPage) return (await browse(service, path, { cookie })).status
  const isCall = url.startsWith('/v1/')
  const isScim = url.startsWith('/scim/')
  const token = isScim ? `${scimKey.api_id}.${scimKey.api_key}` : admin.token
  const headers = isCall ? {} : { authorization: `Bearer ${token}` }
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
  return (await send(service.address, method, path, { key: isCall ? key : null, headers, ...body })).status
}

const inUse = () => service.pool.totalCount - service.pool.idleCount

let mostInUse = 0
service.pool.on('acquire', () => {
  mostInUse = Math.max(mostInUse, inUse())
})

/** Those that end the session, don't end, or need a `PUBLIC_URL`. */
const NOT_SENT = /^POST \/sign-(?:out|in\/passkey\/options)$|\/stream$/
const AT_ONCE = 3 * SHARE
/** What a company gets that sends more than its connections can answer within the longest wait. */
const BUSY = 503

for (const budget of Object.keys(BUDGETS) as Budget[]) {
  await t.test(`beside a company that uses up its ${budget}, another one is answered`, async (t) => {
    const sent = ROUTES.filter((route) => budgetOf(nameOf(route)) === budget && !NOT_SENT.test(nameOf(route)))
    const over = new AbortController()
    const flood = Promise.all(
      sent.flatMap((route) =>
        Array.from({ length: AT_ONCE }, async () => ({ route: nameOf(route), status: await request(route) })),
      ),
    ).finally(() => over.abort())
    mostInUse = 0
    const headers = { authorization: `Bearer ${other.admin.token}` }
    do {
      const { status } = await send(service.address, 'GET', '/admin/v1/api-keys', { key: null, headers })
      t.equal(status, 200)
      t.equal(service.pool.waitingCount, 0, 'nobody waits for a connection')
    } while (!over.signal.aborted)
    for (const { route, status } of await flood) t.ok(status < 500 || status === BUSY, `${route} got ${status}`)
    // Of the company, of whoever is not signed in, and that of the other company.
    t.ok(mostInUse <= 2 * SHARE + 1, `${mostInUse} connections are in use`)
  })
}
