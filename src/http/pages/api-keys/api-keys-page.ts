import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { issueApiKeyRecord } from '../../../accounts/api-keys/issue-api-key.ts'
import type { Problem } from '../../../domain/errors.ts'
import { DEFAULT_QUOTA_LIMIT, DEFAULT_REFRESH_PERIOD } from '../../../domain/accounts/quota.ts'
import { KEY_SCOPES } from '../../../domain/accounts/api-key.ts'
import type { KeyStatus, SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { countApiKeys, listApiKeys } from '../../../accounts/api-keys/read-api-keys.ts'
import { IssueBody, KEY_STATUSES, readNewKey } from '../../admin/api-key-schemas.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import {
  renderAccess,
  renderExpiry,
  renderKeyStatus,
  renderLastUsed,
  renderQuota,
  renderSecretEnds,
} from './api-key-facts.ts'
import { KEY_FIELDS, readKeyBody, renderKeyFields } from './api-key-form.ts'
import { sendSecret } from './api-key-secret.ts'
import { renderSecretSearch } from './secret-search.ts'
import {
  listOptions,
  toFormProblem,
  checkForm,
  renderChoice,
  renderFormAlert,
  readFormFields,
  type FormProblem,
  renderSeenVersion,
  readSeenVersion,
} from '../parts/form.ts'
import { renderBreadcrumb, sendUserPage } from '../parts/layout.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.apiKeys

/** `/settings/api-keys`: the list, and the form that creates a key. */
export function addApiKeysPage(app: FastifyInstance, services: PageServices): void {
  app.get(PATH, (request, reply) => sendKeyList(services, request, reply))
  app.get(`${PATH}/new`, (request, reply) => sendIssueForm(services, request, reply, null))
  const keptForm = {
    fields: KEY_FIELDS,
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
      sendIssueForm(services, request, reply, problem),
  }
  app.post(`${PATH}/new`, { config: { keptForm } }, async (request, reply) => {
    const acting = getActing(request)
    try {
      const fields = readFormFields(request.body)
      const key = readNewKey(checkForm(IssueBody, readKeyBody(fields, getViewer(request).timeZone)))
      const issue = { ...acting, ...key, seen: readSeenVersion(fields) }
      return await sendSecret(request, reply, services.sessions, await issueApiKeyRecord(services.company, issue))
    } catch (error) {
      return sendIssueForm(services, request, reply, toFormProblem(error))
    }
  })
}

const DEFAULTS = {
  name: '',
  quota_limit: String(DEFAULT_QUOTA_LIMIT),
  refresh_period: DEFAULT_REFRESH_PERIOD,
  scopes: KEY_SCOPES.join(' '),
  expires_at: '',
  allowed_networks: '',
}

async function sendIssueForm(
  { company }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const fields = problem ? readFormFields(request.body) : DEFAULTS
  const seen = await countApiKeys(company.pool, viewer.companyId)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Create API key',
    body: html`${renderBreadcrumb(NAVIGATION.apiKeys)}
      <h1>Create API key</h1>
      ${renderFormAlert(problem)}
      <p>The key is for all employees of the company. Its secret is shown once, on the next page.</p>
      <form method="post" action="${PATH}/new" class="stack">
        ${renderSeenVersion(seen)} ${renderKeyFields(fields, problem, viewer.timeZone)}
        <div class="actions">
          <button class="primary">Create key</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

async function sendKeyList({ db }: PageServices, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { cursor, status: requestedStatus } = readFormFields(request.query)
  const status = KEY_STATUSES.find((one) => one === requestedStatus)
  const before = cursor === undefined ? {} : { before: decodeIdCursor('key', cursor) }
  const filter: { status?: KeyStatus } = status === undefined ? {} : { status }
  const keys = await listApiKeys(db, viewer.companyId, { limit: ROWS_A_PAGE + 1, ...before, ...filter })
  const isFiltered = status !== undefined || cursor !== undefined
  return sendUserPage(request, reply, viewer, {
    title: 'API keys',
    body: html`<h1>API keys</h1>
      <p>
        Programs call the API with a key. See the <a href="/docs">API reference</a> and the
        <a href="/problems">problem codes</a>.
      </p>
      ${keys.length === 0 && !isFiltered ? '' : html`<p class="actions"><a class="button primary" href="${PATH}/new">Create API key</a></p>`}
      ${keys.length === 0 && !isFiltered ? renderNoKeys() : html`<div class="beside">${renderSecretSearch(null)} ${renderKeyFilter(status ?? '')}</div> ${renderKeyTable(keys.slice(0, ROWS_A_PAGE), viewer.timeZone)}`}
      ${renderListLinks(PATH, filter, cursor, keys, ({ key }) => key.id)}`,
  })
}

function renderNoKeys(): Html {
  return html`<div class="empty">
    <h2>No API keys yet</h2>
    <p>A program needs a key to create and update employees.</p>
    <p><a class="button primary" href="${PATH}/new">Create API key</a></p>
  </div>`
}

const FILTERS = listOptions({ active: 'Enabled', disabled: 'Disabled', expired: 'Expired', revoked: 'Revoked' })

function renderKeyFilter(status: string): Html {
  return html`<form method="get" action="${PATH}" class="filters">
    ${renderChoice({ name: 'status', label: 'Status', value: status, options: FILTERS }, null)}
    <div class="actions"><button>Filter</button></div>
  </form>`
}

function renderKeyTable(keys: SeenKey[], timeZone: string): Html {
  if (keys.length === 0) return html`<p class="empty">No matching keys. <a href="${PATH}">Show all</a></p>`
  return html`<table class="cards rows">
    <caption class="visually-hidden">
      API keys, newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="wide">API ID</th>
        <th scope="col">Secret</th>
        <th scope="col">Status</th>
        <th scope="col" class="wide">Access</th>
        <th scope="col">Quota used</th>
        <th scope="col">Last used</th>
        <th scope="col">Expires</th>
      </tr>
    </thead>
    <tbody>
      ${keys.map(
        (seen) =>
          html`<tr>
            <th scope="row">
              <a href="${PATH}/${seen.key.id}" title="${seen.key.name}"><bdi>${seen.key.name}</bdi></a>
            </th>
            <td data-label="API ID" class="wide"><code>${seen.key.id}</code></td>
            <td data-label="Secret">${renderSecretEnds(seen)}</td>
            <td data-label="Status">${renderKeyStatus(seen)}</td>
            <td data-label="Access" class="wide">${renderAccess(seen.key)}</td>
            <td data-label="Quota used">${renderQuota(seen, timeZone)}</td>
            <td data-label="Last used">${renderLastUsed(seen.key, timeZone)}</td>
            <td data-label="Expires">${renderExpiry(seen.key, timeZone)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
