import type { FastifyRequest, FastifyInstance } from 'fastify'
import { type SessionSettings, findBaseUrl } from '#http/access/session'
import { type PageContent, type Form, addFormPage, renderForm } from '#pages/parts/form-page'
import {
  html,
  renderCopyWarning,
  renderCopyable,
  renderTime,
  renderTable,
  renderTimeOrNever,
  isolate,
  renderActions,
  renderButton,
  renderNameLink,
  renderEmpty,
  renderNothing,
} from '#pages/parts/elements'
import { NAVIGATION } from '#wording/navigation'
import { getViewer, type PageServices, getActing, readProblemsOf } from '#pages/parts/context'
import { findSecrets, type FoundSecrets } from '#accounts/api-keys/find-secrets'
import {
  hasPreviousSecret,
  type SeenKey,
  findNewestKey,
  KEY_STATUSES,
  listApiKeys,
  type KeyWithSecret,
  issueApiKeyRecord,
} from '#accounts/api-keys/api-keys'
import type { SeenToken } from '#accounts/users/users'
import { readNames } from '#ledger/read/read-names'
import { SecretSearchBody, toSecretSearch } from '#api/admin/secret-search'
import { trimBlanks } from '#text/normalize-text'
import type { AttentionItem } from '#domain/attention'
import { databaseTime } from '#postgres/database-clock'
import { readPeopleChanges } from '#projections/employees/count-people'
import { proposeLimit } from '#domain/accounts/key-limits'
import { IssueBody, readNewKey } from '#api/admin/api-key-schemas'
import { renderTokenStatus } from '#pages/account/tokens'
import {
  checkForm,
  renderField,
  type FormProblem,
  listOptions,
  readSeenVersion,
  renderButtons,
} from '#pages/parts/form'
import { renderLastFour } from '#pages/parts/attribute-values'
import { renderReasons } from '#pages/parts/attention'
import { readListQuery, renderFilter, renderListLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { buildCreateCommand, buildVerifyCommand } from './curl-lines.ts'
import {
  renderKeyStatus,
  renderSecretEnds,
  hasProblem,
  renderAccess,
  renderLastUsed,
  renderQuota,
} from './api-key-facts.ts'
import { KEY_FIELDS, listKeyFields, NEW_KEY, readKeyBody } from './api-key-forms.ts'

/** Returns the page that shows a new secret of a key, with commands to try it. */
export function showSecret(
  request: FastifyRequest,
  sessions: SessionSettings,
  { key, secret }: KeyWithSecret,
): PageContent {
  const isFirst = key.rotatedAt === null
  const baseUrl = findBaseUrl(request, sessions)
  return {
    title: isFirst ? 'API key created' : 'Secret rotated',
    body: html`${renderCopyWarning('the secret')}
      ${key.scopes.includes('scim') && renderProviderSetup(baseUrl, key.id, secret)}
      <h2>Secret of “${isolate(key.name)}”, sent as <code>x-api-key</code></h2>
      ${renderCopyable('secret', secret, 'Copy secret')}
      <h2>API ID, sent as <code>x-api-id</code></h2>
      ${renderCopyable('api-id', key.id, 'Copy ID')}
      ${!isFirst && renderPreviousSecret(key.previousExpiresAt, getViewer(request).timeZone)}
      <h2>Try it</h2>
      <p>This command verifies the key and changes nothing:</p>
      ${renderCopyable('verify-line', buildVerifyCommand(baseUrl, { id: key.id, secret }), 'Copy command')}
      ${key.scopes.includes('employees:write') && renderCreateLine(buildCreateCommand(baseUrl, { id: key.id, secret }))}
      ${renderActions(renderButton(`${NAVIGATION.apiKeys.path}/${key.id}`, 'View key'))}`,
  }
}

/** What to paste into the settings of an identity provider. */
function renderProviderSetup(baseUrl: string, id: string, secret: string) {
  return html`<h2>For your identity provider</h2>
    <p>
      Address: “SCIM connector base URL” in Okta (the unique identifier is <code>userName</code>, and the authentication
      mode “HTTP Header”), “Tenant URL” in Microsoft Entra ID.
    </p>
    ${renderCopyable('scim-url', `${baseUrl}/scim/v2`, 'Copy address')}
    <p>Token: “Authorization” in Okta, “Secret token” in Entra. Turn the provisioning of groups off.</p>
    ${renderCopyable('scim-token', `${id}.${secret}`, 'Copy token')}`
}

function renderCreateLine(command: string) {
  return html`<p>
      This one creates an employee, which adds an entry to
      <a href="${NAVIGATION.bulkUserLogs.path}">Bulk User Logs</a>:
    </p>
    ${renderCopyable('create-line', command, 'Copy command')}`
}

function renderPreviousSecret(expiresAt: string | null, timeZone: string) {
  return expiresAt === null
    ? html`<p>The previous secret no longer works.</p>`
    : html`<p>The previous secret works until ${renderTime(expiresAt, timeZone)}.</p>`
}

const { path: PATH } = NAVIGATION.apiKeys

/**
 * Makes the form that searches for a key or token. It is a form, because a secret must not be in an address; the answer
 * does not repeat what was entered, and the form is not kept if the session has ended.
 */
function makeSecretSearch({ db }: PageServices): Form<unknown, never> {
  return {
    config: { isHeavyRead: true },
    async run(request, { q = '', secret_sha256: sha256 = '' }) {
      if (trimBlanks(q) === '' && sha256 === '') return { goTo: PATH }
      const { companyId, timeZone } = getViewer(request)
      const search = toSecretSearch(checkForm(SecretSearchBody, sha256 === '' ? { q } : { secret_sha256: sha256 }))
      const found = await findSecrets(db, companyId, search)
      const ownerIds = found.items.flatMap(({ token }) => token?.token.userId ?? [])
      const owners = await readNames(db, companyId, ownerIds)
      return {
        page: {
          title: 'Keys and tokens found',
          trail: [NAVIGATION.apiKeys],
          body: html`${renderSecretSearch(null)} ${renderFound(found, owners, timeZone)}`,
        },
      }
    },
  }
}

const SEARCH = {
  name: 'q',
  label: 'Find a key or token',
  isNoWord: true,
  hint: 'A name, an ID, the last four characters of a secret, or a whole secret, such as one that leaked.',
}

/** Renders the search. With a script, the browser sends the SHA-256 of a secret instead of the secret. */
function renderSecretSearch(problem: FormProblem) {
  return html`<form method="post" action="${PATH}" class="filters" role="search" data-hashed-secret>
    ${renderField(SEARCH, problem)}
    <input type="hidden" name="secret_sha256" />
    <div class="actions"><button>Find</button></div>
  </form>`
}

function renderFound({ items, isMore }: FoundSecrets, owners: ReadonlyMap<string, string>, timeZone: string) {
  if (items.length === 0)
    return renderEmpty(
      'No key or token of this company matches. Only the current and the previous secret of a key are stored.',
    )
  return html`${renderTable({
    caption: 'Keys and tokens',
    columns: {
      'Name and ID': ({ key, token }) => (key ? renderKeyName(key) : renderTokenName(token, owners)),
      'Found by': ({ by, key }) =>
        html`${FOUND_BY[by]}${key && by === 'previous_secret' && renderPreviousEnd(key, timeZone)}`,
      Status: ({ key, token }) => (key ? renderKeyStatus(key) : renderTokenStatus(token)),
      Secret: ({ key, token }) => (key ? renderSecretEnds(key) : renderLastFour(token.token.lastFour)),
    },
    rows: items,
  })}
    ${isMore && html`<p>There are more. Enter more of the name.</p>`}`
}

function renderKeyName({ key }: SeenKey) {
  return html`${renderNameLink(`${PATH}/${key.id}`, key.name)}<br /><code class="below">${key.id}</code>`
}

function renderTokenName({ token }: SeenToken, owners: ReadonlyMap<string, string>) {
  return html`${renderNameLink(`${NAVIGATION.users.path}/${token.userId}#tokens`, token.name)}<br />
    Token of ${isolate(owners.get(token.userId) ?? 'Erased user')}<br /><code class="below">${token.id}</code>`
}

const FOUND_BY = {
  secret: 'Its secret',
  previous_secret: 'Its previous secret',
  id: 'Its ID',
  last_four: 'The last four characters',
  name: 'Its name',
}

function renderPreviousEnd(seen: SeenKey, timeZone: string) {
  const { previousExpiresAt: end } = seen.key
  return end === null
    ? html``
    : html`, which ${hasPreviousSecret(seen) ? 'works until' : 'ended'} ${renderTime(end, timeZone)}`
}

/** `/settings/api-keys`: the list, and the form that creates a key. */
export function addApiKeysPage(app: FastifyInstance, services: PageServices) {
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
      const [people] = await readPeopleChanges(db, companyId, databaseTime())
      const limit = proposeLimit(people?.active ?? 0)
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
) {
  const { status = '' } = filter
  const isNone = keys.length === 0 && status === '' && cursor === undefined
  const choice = { name: 'status', label: 'Status', value: status, options: FILTERS }
  const filters = html`<div class="columns">${renderSecretSearch(searchProblem)} ${renderFilter(PATH, choice)}</div>`
  const create = renderActions(renderButton(`${PATH}/new`, 'Create API key', 'primary'))
  const table = renderKeyTable(keys.slice(0, ROWS_A_PAGE), problems, timeZone)
  return html`<p>
      Programs call the API with a key. See the <a href="/docs">API reference</a> and the
      <a href="/problems">problem codes</a>.
    </p>
    ${
      isNone
        ? renderNothing('No API keys yet', 'A program needs a key to create and update employees.', create)
        : html`${create} ${filters} ${table}`
    }
    ${renderListLinks(PATH, filter, cursor, keys, ({ key }) => key.id)}`
}

const FILTERS = listOptions({ active: 'Enabled', disabled: 'Disabled', expired: 'Expired', revoked: 'Revoked' })

function renderKeyTable(keys: SeenKey[], problems: readonly AttentionItem[], timeZone: string) {
  if (keys.length === 0) return renderEmpty(html`No matching keys. <a href="${PATH}">Show all</a>`)
  return renderTable({
    caption: 'API keys, newest first',
    isInLines: true,
    columns: {
      Name: ({ key }) => html`<a href="${PATH}/${key.id}" title="${key.name}">${isolate(key.name)}</a>`,
      Secret: renderSecretEnds,
      Status: (seen) => {
        const reasons = renderReasons(seen.key.id, problems, PATH, timeZone)
        return html`${renderKeyStatus(seen, hasProblem(seen, problems))} ${reasons}`
      },
      Access: { isWide: true, cell: ({ key }) => renderAccess(key) },
      'Quota used': (seen) => renderQuota(seen, timeZone),
      'Last used': ({ key }) => renderLastUsed(key, timeZone),
      Expires: { isWide: true, cell: ({ key }) => renderTimeOrNever(key.expiresAt, timeZone) },
    },
    rows: keys,
  })
}
