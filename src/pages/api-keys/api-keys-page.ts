import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AttentionItem } from '#domain/attention'
import { renderReasons } from '../parts/attention.ts'
import { issueApiKeyRecord } from '#accounts/api-keys/change-api-key'
import { findNewestKey, KEY_STATUSES, listApiKeys, type SeenKey } from '#accounts/api-keys/read-api-keys'
import { listEmployees } from '#projections/employees/queries'
import { MANY_PEOPLE, proposeLimit } from '#domain/accounts/key-limits'
import { IssueBody, readNewKey } from '#api/admin/api-key-schemas'
import {
  hasProblem,
  renderAccess,
  renderKeyStatus,
  renderLastUsed,
  renderQuota,
  renderSecretEnds,
} from './api-key-facts.ts'
import { KEY_FIELDS, listKeyFields, NEW_KEY, readKeyBody } from './api-key-form.ts'
import { showSecret } from './api-key-secret.ts'
import { makeSecretSearch, renderSecretSearch } from './secret-search.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { checkForm, listOptions, readSeenVersion, renderButtons, type FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { readListQuery, renderFilter, renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { renderTable } from '../parts/table.ts'
import { renderTimeOrNever } from '../parts/times.ts'
import { getActing, getViewer, readProblemsOf } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.apiKeys

/** `/settings/api-keys`: the list, and the form that creates a key. */
export function addApiKeysPage(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: PATH,
    load: (request) => loadKeys(services, request),
    render: (shown, forms, request) => ({
      title: 'API keys',
      body: renderKeyList(shown, forms.problemOf('search'), getViewer(request).timeZone),
    }),
    forms: { search: makeSecretSearch(services) },
  })
  addFormPage(app, {
    path: `${PATH}/new`,
    // A form that is sent twice creates one key.
    load: async (request) => {
      const { companyId } = getViewer(request)
      const newest = await findNewestKey(services.company.pool, companyId)
      const db = await services.reads.of(companyId, request.left)
      const some = await listEmployees(db, companyId, { status: 'active' }, { after: null, limit: MANY_PEOPLE })
      const limit = proposeLimit(some.length)
      return { newest, proposed: { ...NEW_KEY, max_deactivations: String(limit) } }
    },
    render: ({ newest, proposed }, forms, request) => ({
      title: 'Create API key',
      trail: [NAVIGATION.apiKeys],
      body: html`<p>The key is for all employees of the company. Its secret is shown once, on the next page.</p>
        ${renderForm(forms, 'create', {
          version: newest,
          values: proposed,
          fields: listKeyFields(getViewer(request).timeZone),
          buttons: renderButtons('Create key', PATH),
        })}`,
    }),
    forms: {
      create: {
        keeps: KEY_FIELDS,
        async issue(request, fields) {
          const key = readNewKey(checkForm(IssueBody, readKeyBody(fields, getViewer(request).timeZone)))
          const issue = { ...getActing(request), ...key, seen: readSeenVersion(fields) }
          return { page: showSecret(request, services.sessions, await issueApiKeyRecord(services.company, issue)) }
        },
      },
    },
  })
}

async function loadKeys({ db }: PageServices, request: FastifyRequest) {
  const { cursor, page, filter } = readListQuery(request, 'key', KEY_STATUSES)
  const keys = await listApiKeys(db, getViewer(request).companyId, { ...page, ...filter })
  return { cursor, filter, keys, problems: await readProblemsOf(request) }
}

function renderKeyList(
  { filter, cursor, keys, problems }: Awaited<ReturnType<typeof loadKeys>>,
  searchProblem: FormProblem,
  timeZone: string,
): Html {
  const { status = '' } = filter
  const isNone = keys.length === 0 && status === '' && cursor === undefined
  const choice = { name: 'status', label: 'Status', value: status, options: FILTERS }
  const filters = html`<div class="columns">${renderSecretSearch(searchProblem)} ${renderFilter(PATH, choice)}</div>`
  const table = renderKeyTable(keys.slice(0, ROWS_A_PAGE), problems, timeZone)
  return html`<p>
      Programs call the API with a key. See the <a href="/docs">API reference</a> and the
      <a href="/problems">problem codes</a>.
    </p>
    ${isNone ? '' : html`<p class="actions"><a class="button primary" href="${PATH}/new">Create API key</a></p>`}
    ${isNone ? renderNoKeys() : html`${filters} ${table}`}
    ${renderListLinks(PATH, filter, cursor, keys, ({ key }) => key.id)}`
}

function renderNoKeys(): Html {
  return html`<div class="empty">
    <h2>No API keys yet</h2>
    <p>A program needs a key to create and update employees.</p>
    <p><a class="button primary" href="${PATH}/new">Create API key</a></p>
  </div>`
}

const FILTERS = listOptions({ active: 'Enabled', disabled: 'Disabled', expired: 'Expired', revoked: 'Revoked' })

function renderKeyTable(keys: SeenKey[], problems: readonly AttentionItem[], timeZone: string): Html {
  if (keys.length === 0) return html`<p class="empty">No matching keys. <a href="${PATH}">Show all</a></p>`
  return renderTable({
    caption: 'API keys, newest first',
    isInLines: true,
    columns: [
      {
        heading: 'Name',
        cell: ({ key }) => html`<a href="${PATH}/${key.id}" title="${key.name}"><bdi>${key.name}</bdi></a>`,
      },
      { heading: 'Secret', cell: renderSecretEnds },
      {
        heading: 'Status',
        cell: (seen) => {
          const reasons = renderReasons(seen.key.id, problems, PATH, timeZone)
          return html`${renderKeyStatus(seen, hasProblem(seen, problems))} ${reasons}`
        },
      },
      { heading: 'Access', isWide: true, cell: ({ key }) => renderAccess(key) },
      { heading: 'Quota used', cell: (seen) => renderQuota(seen, timeZone) },
      { heading: 'Last used', cell: ({ key }) => renderLastUsed(key, timeZone) },
      { heading: 'Expires', isWide: true, cell: ({ key }) => renderTimeOrNever(key.expiresAt, timeZone) },
    ],
    rows: keys,
  })
}
