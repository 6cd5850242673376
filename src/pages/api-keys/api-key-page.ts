import type { FastifyInstance } from 'fastify'
import { listLogEntries, type LogEntry } from '#projections/bulk-user-logs/queries'
import type { Reads } from '#ledger/read/reads'
import { NAVIGATION } from '#wording/navigation'
import type { AttentionItem } from '#domain/attention'
import type { AttentionKind } from '#domain/attention-kinds'
import { type KeyAttention, describeCode } from '#wording/attention-words'
import { findApiKey, hasPreviousSecret, type SeenKey, changeApiKey, rotateApiKey } from '#accounts/api-keys/api-keys'
import { listAddresses, type UsedAddress } from '#ledger/read/read-names'
import { readKeyId, requireKey, KEY_ACTIONS } from '#api/admin/api-keys'
import { AllowBody, EditBody, readEdit, RotateBody } from '#api/admin/api-key-schemas'
import { formatNumber } from '#wording/numbers'
import { readCallsChart } from '#pages/charts/calls-chart'
import {
  renderStatusBadge,
  html,
  renderTable,
  renderTime,
  renderAddressLink,
  renderFacts,
  renderId,
  renderSection,
  renderTimeOrNever,
  isolate,
  renderButton,
} from '#pages/parts/elements'
import { describeResult } from '#pages/parts/call-words'
import { renderProblemsOf } from '#pages/parts/attention'
import {
  listActionForms,
  listNotices,
  renderAction,
  addFormPage,
  renderFormSection,
  type PageForms,
  type PageRequest,
} from '#pages/parts/form-page'
import { addQuestionPage } from '#pages/parts/question-page'
import { checkForm, keepLineBreaks, readSeenVersion, type FormFields } from '#pages/parts/form'
import { formatScopes } from '#pages/parts/key-words'
import { type PageServices, getActing, getViewer, readProblemsOf } from '#pages/parts/context'
import { readOverlap, renderRotation } from '#pages/parts/rotation'
import { renderLastFour } from '#pages/parts/attribute-values'
import {
  hasProblem,
  renderAccess,
  renderKeyStatus,
  renderLastUsed,
  renderLimits,
  renderNetworks,
  renderQuota,
} from './api-key-facts.ts'
import {
  formatKeyFields,
  KEY_FIELDS,
  listKeyFields,
  readKeyBody,
  readExcess,
  renderAllow,
  readExpectedCalls,
  readProposal,
  renderExpectedCalls,
} from './api-key-forms.ts'
import { showSecret } from './api-keys-page.ts'

const { path: LOGS_PATH } = NAVIGATION.bulkUserLogs
/** The calls that the page of a key lists. */
const LAST_CALLS = 5

/** Reads and renders what a key was used for: a chart, and its last calls. Empty if there are none. */
async function readKeyCalls(reads: Reads, companyId: string, key: string, timeZone: string) {
  const db = await reads.of(companyId)
  const { entries } = await listLogEntries(db, companyId, { key }, { before: null, limit: LAST_CALLS })
  if (entries.length === 0) return html``
  const chart = await readCallsChart(db, companyId, { given: { key }, filter: { key } }, timeZone)
  return html`<aside aria-label="Calls">
    ${chart ?? ''} ${renderLastCalls(entries, timeZone)}
  </aside>`
}

function renderLastCalls(entries: readonly LogEntry[], timeZone: string) {
  return renderTable({
    caption: 'The last calls',
    columns: {
      'Date/Time': ({ entry }) => renderTime(entry.requested_at, timeZone),
      Status: ({ entry }) => renderStatusBadge(entry.status),
      Result: {
        isName: true,
        cell: ({ entry }) =>
          html`<a href="${LOGS_PATH}/${entry.id}">${describeResult(entry)}${describeCause(entry)}</a>`,
      },
    },
    rows: entries,
  })
}

function describeCause({ error }: LogEntry['entry']) {
  return error === null ? '' : `: ${describeCode(error.code)}`
}

const { path: PATH } = NAVIGATION.apiKeys

/** Revoking has a page of its own. */
const { revoke: REVOKE, ...ACTIONS } = KEY_ACTIONS

type KeyRequest = PageRequest<{ id: string }>

/** `/settings/api-keys/{id}`: one key, with everything that can be done with it. */
export function addApiKeyPage(app: FastifyInstance, services: PageServices) {
  const { company, sessions } = services
  const idOf = ({ params }: KeyRequest) => readKeyId(params.id)
  const change = (request: KeyRequest, asked: Parameters<typeof changeApiKey>[3], fields: FormFields) =>
    changeApiKey(company, getActing(request), idOf(request), asked, readSeenVersion(fields))
  addFormPage(app, {
    path: `${PATH}/:id`,
    load: (request: KeyRequest) => loadPage(services, request),
    render: (shown, forms, request) => renderKeyPage(shown, forms, getViewer(request).timeZone),
    notices: {
      saved: 'Changes saved. They apply immediately.',
      allowed: 'Allowed for the next 24 hours. Send the call again.',
      ...listNotices(KEY_ACTIONS),
    },
    forms: {
      edit: {
        keeps: [...KEY_FIELDS, 'seen'],
        async run(request, fields) {
          const { timeZone } = getViewer(request)
          const shown = formatKeyFields(await loadKey(services, request), timeZone)
          const { expires_at: expiry, ...others } = fields
          // The form shows the expiry to the minute, and must not round it when something else is saved.
          const changed = expiry === undefined || expiry === shown['expires_at'] ? others : fields
          const name = keepLineBreaks(fields['name'] ?? '', shown['name'])
          await change(request, readEdit(checkForm(EditBody, readKeyBody({ ...changed, name }, timeZone))), fields)
          return { done: 'saved' }
        },
      },
      rotate: {
        path: '/rotate',
        async issue(request, fields) {
          const { overlap_seconds: overlap } = readOverlap(RotateBody, fields)
          const seen = readSeenVersion(fields)
          const rotated = await rotateApiKey(company, getActing(request), idOf(request), overlap, seen)
          return { page: showSecret(request, sessions, rotated) }
        },
      },
      expect: {
        path: '/expect',
        async run(request, fields) {
          await change(request, { change: 'edit', expectedCalls: readExpectedCalls(fields) }, fields)
          return { done: 'saved' }
        },
      },
      allow: {
        path: '/allow',
        async run(request, fields) {
          const numbers = checkForm(AllowBody, {
            max_deactivations: readExcess(fields['max_deactivations']),
            max_changes: readExcess(fields['max_changes']),
          })
          await change(request, { change: 'allow', ...numbers }, fields)
          return { done: 'allowed' }
        },
      },
      ...listActionForms(ACTIONS, (request: KeyRequest, action) =>
        changeApiKey(company, getActing(request), idOf(request), { change: action }),
      ),
    },
  })
  addKeyRevocation(app, services)
}

/** `/settings/api-keys/{id}/revoke`: asks before a key is revoked. The page of the key takes the form. */
function addKeyRevocation(app: FastifyInstance, services: PageServices) {
  addQuestionPage(app, {
    path: `${PATH}/:id/revoke`,
    load: (request: KeyRequest) => loadKey(services, request),
    ask: ({ key }, request) => ({
      title: `Revoke ${key.name}`,
      heading: html`Revoke “${isolate(key.name)}”?`,
      trail: [NAVIGATION.apiKeys, { label: key.name, path: `${PATH}/${key.id}` }],
      text: html`<p>
          All calls with this key, including uploads in progress, will be refused immediately. This can't be undone.
        </p>
        <p>
          Last used: ${renderLastUsed(key, getViewer(request).timeZone)}. To block it temporarily, disable it instead.
        </p>`,
      button: REVOKE.button,
      back: `${PATH}/${key.id}`,
    }),
    async run(request, { key }) {
      await changeApiKey(services.company, getActing(request), key.id, { change: 'revoke' })
      return `${PATH}/${key.id}?done=${REVOKE.done}`
    },
  })
}

async function loadKey({ db }: PageServices, request: KeyRequest) {
  return requireKey(await findApiKey(db, getViewer(request).companyId, readKeyId(request.params.id)))
}

/** Loads what the page of a key shows. `proposal` is when calls could be expected, from those of the last weeks. */
async function loadPage(services: PageServices, request: KeyRequest) {
  const { companyId, timeZone } = getViewer(request)
  const seen = await loadKey(services, request)
  const addresses = await listAddresses(services.db, companyId, seen.key.id, SHOWN_ADDRESSES)
  const proposal = await readProposal(services.db, companyId, seen, timeZone)
  const calls = await readKeyCalls(services.reads, companyId, seen.key.id, timeZone)
  return { seen, addresses, proposal, calls, problems: await readProblemsOf(request) }
}

type KeyForms = PageForms<'edit' | 'rotate' | 'expect' | 'allow' | keyof typeof ACTIONS>

function renderKeyPage(
  { seen, addresses, proposal, calls, problems }: Awaited<ReturnType<typeof loadPage>>,
  forms: KeyForms,
  timeZone: string,
) {
  const { key } = seen
  const settings = html`${renderKeyForms(forms, seen, problems, timeZone)}
    ${renderExpectedCalls(seen, forms, proposal, timeZone)}`
  return {
    title: key.name,
    trail: [NAVIGATION.apiKeys] as const,
    body: html`${renderProblemsOf(key.id, problems, timeZone)} ${!key.isRevoked && renderAllow(seen, forms)}
      <div class="columns">
        <div>
          ${renderKeyFacts(seen, problems, timeZone)}
          <div class="actions">
            ${renderButton(`${NAVIGATION.bulkUserLogs.path}?key=${key.id}`, 'View calls')}
            ${!key.isRevoked && renderKeyActions(key, forms)}
          </div>
        </div>
        ${calls}
      </div>
      ${key.isRevoked ? html`<p>Revoked keys stay listed so that their past calls keep a name.</p>` : settings}
      ${renderAddresses(addresses, timeZone)}`,
  }
}

function renderKeyFacts(seen: SeenKey, problems: readonly AttentionItem[], timeZone: string) {
  const { key } = seen
  return renderFacts({
    Status: renderKeyStatus(seen, hasProblem(seen, problems)),
    'API ID': renderId('api-id', key.id),
    Secret: renderLastFour(key.lastFour),
    Access: renderAccess(key),
    Expires: renderTimeOrNever(key.expiresAt, timeZone),
    'Allowed networks': renderNetworks(key),
    'Quota used': renderQuota(seen, timeZone),
    'Daily limits': renderLimits(seen, timeZone),
    'Last used': renderLastUsed(key, timeZone),
    Created: renderTime(key.createdAt, timeZone),
    'Secret rotated': key.rotatedAt !== null && renderTime(key.rotatedAt, timeZone),
    'Previous secret':
      hasPreviousSecret(seen) &&
      html`${renderLastFour(key.previousLastFour)} Works until ${renderTime(key.previousExpiresAt!, timeZone)}`,
  })
}

/** Addresses that are shown of a key, the last used ones. */
const SHOWN_ADDRESSES = 50

function renderAddresses(addresses: UsedAddress[], timeZone: string) {
  if (addresses.length === 0) return html``
  const count = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`
  const least = addresses.length < SHOWN_ADDRESSES ? '' : 'at least '
  const status = `Calls that create or update employees came from ${least}${count}.`
  return renderSection(
    { heading: 'Addresses', status },
    renderTable({
      caption: 'Addresses, most recently used first',
      columns: {
        Address: ({ address }) => renderAddressLink(address),
        'First call': ({ firstAt }) => renderTime(firstAt, timeZone),
        'Last call': ({ lastAt }) => renderTime(lastAt, timeZone),
        Program: ({ userAgents }) => html`${userAgents.map((userAgent) => html`<div>${isolate(userAgent)}</div>`)}`,
      },
      rows: addresses,
    }),
  )
}

function renderKeyActions({ id, isEnabled }: SeenKey['key'], forms: KeyForms) {
  const change = isEnabled ? 'disable' : 'enable'
  return html`${renderAction(forms, change, ACTIONS[change])}
    ${renderButton(`${PATH}/${id}/revoke`, 'Revoke…', 'danger')}`
}

/** Whether an administrator solves a problem with the first form. */
const IS_MENDED_BY_EDITING: Readonly<Record<KeyAttention, boolean> & { [Kind in AttentionKind]?: boolean }> = {
  quota_used: true,
  key_limit_reached: false,
  key_deactivated_many: true,
  fields_overwritten: true,
  key_expired: true,
  call_missing: false,
  calls_turned_away: false,
  quota_nearly_used: true,
  key_expiring: true,
  key_unused: false,
}

const ROTATION = html`<p>
  The key gets a new secret, which is shown once. The current one keeps working for the time you choose. Any older one
  stops working now.
</p>`

function renderKeyForms(forms: KeyForms, seen: SeenKey, problems: readonly AttentionItem[], timeZone: string) {
  const { key } = seen
  return html`${renderFormSection(forms, 'edit', {
    heading: 'Name, quota and access',
    status: `${formatNumber(key.quotaLimit)} calls ${key.refreshPeriod}; ${formatScopes(key.scopes)}`,
    version: key.version,
    values: formatKeyFields(seen, timeZone),
    fields: listKeyFields(timeZone, key.scopes),
    buttons: html`<button class="primary">Save</button>`,
    isOpen: problems.some(({ kind, subject }) => subject.id === key.id && IS_MENDED_BY_EDITING[kind] === true),
  })}
  ${renderRotation(forms, key, seen.now, ROTATION)}`
}
