import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { changeApiKey, NO_SUCH_KEY, rotateApiKey } from '../../../accounts/api-keys/change-api-key.ts'
import type { Problem } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import { DEFAULT_OVERLAP_SECONDS } from '../../../domain/accounts/key-lifecycle.ts'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { findApiKey, hasPreviousSecret } from '../../../accounts/api-keys/read-api-keys.ts'
import type { UsedAddress } from '../../../ledger/read/read-clients.ts'
import { listAddresses } from '../../../ledger/read/read-clients.ts'
import { EditBody, readEdit, RotateBody } from '../../admin/api-key-schemas.ts'
import { ProblemError } from '../../server/problem.ts'
import {
  renderAccess,
  renderExpiry,
  renderKeyStatus,
  renderLastUsed,
  renderNetworks,
  renderQuota,
} from './api-key-facts.ts'
import { formatKeyFields, KEY_FIELDS, readKeyBody, renderKeyFields } from './api-key-form.ts'
import { readExpectedCalls, readProposal, renderExpectedCalls } from './expected-calls.ts'
import { sendSecret } from './api-key-secret.ts'
import {
  toFormProblem,
  checkForm,
  keepLineBreaks,
  renderChoice,
  renderFormAlert,
  readFormFields,
  type FormProblem,
  renderSeenVersion,
  readSeenVersion,
  readWholeNumber,
} from '../parts/form.ts'
import { renderConfirmedAction } from '../parts/confirm.ts'
import { renderAddressLink } from '../parts/clients.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { formatScopes } from '../parts/key-words.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderSection } from '../parts/section.ts'
import { formatNumber, renderLastFour } from '../parts/shown-values.ts'
import { describeRotation, renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.apiKeys

interface KeyRoute {
  Params: { id: string }
}
type KeyRequest = FastifyRequest<KeyRoute>

/** The problem of the form that was sent. */
interface KeyProblem {
  form: 'edit' | 'rotate' | 'expect'
  problem: FormProblem
}

const DONE = {
  saved: 'Changes saved. They apply immediately.',
  disabled: 'Key disabled. Its calls are refused until you enable it.',
  enabled: 'Key enabled.',
  revoked: "Key revoked. This can't be undone.",
}

/** `/settings/api-keys/{id}`: one key, with editing, rotation and revocation. */
export function addApiKeyPage(app: FastifyInstance, services: PageServices): void {
  const { company, sessions } = services
  app.get<KeyRoute>(`${PATH}/:id`, (request, reply) => sendKey(services, request, reply, null))

  const keptForm = {
    fields: [...KEY_FIELDS, 'seen'],
    show: (request: KeyRequest, reply: FastifyReply, problem: Problem) =>
      sendKey(services, request, reply, { form: 'edit', problem }),
  }
  app.post<KeyRoute>(`${PATH}/:id`, { config: { keptForm } }, async (request, reply) => {
    const fields = readFormFields(request.body)
    try {
      const { timeZone } = getViewer(request)
      const shown = formatKeyFields(await requireKey(services, request), timeZone)
      const { expires_at: expiry, ...others } = fields
      // The form shows the expiry to the minute, and must not round it when something else is saved.
      const changed = expiry === undefined || expiry === shown.expires_at ? others : fields
      const name = keepLineBreaks(fields['name'] ?? '', shown.name)
      const changes = readEdit(checkForm(EditBody, readKeyBody({ ...changed, name }, timeZone)))
      await changeApiKey(company, getActing(request), readKeyId(request), changes, readSeenVersion(fields))
    } catch (error) {
      return sendKey(services, request, reply, { form: 'edit', problem: toFormProblem(error) })
    }
    return redirectToKey(request, reply, 'saved')
  })

  app.post<KeyRoute>(`${PATH}/:id/rotate`, async (request, reply) => {
    const fields = readFormFields(request.body)
    try {
      const { overlap_seconds: overlap } = checkForm(RotateBody, {
        overlap_seconds: readWholeNumber(fields['overlap_seconds']),
      })
      const rotated = await rotateApiKey(
        company,
        getActing(request),
        readKeyId(request),
        overlap,
        readSeenVersion(fields),
      )
      return await sendSecret(request, reply, sessions, rotated)
    } catch (error) {
      return sendKey(services, request, reply, { form: 'rotate', problem: toFormProblem(error) })
    }
  })

  app.post<KeyRoute>(`${PATH}/:id/expect`, async (request, reply) => {
    const fields = readFormFields(request.body)
    try {
      const edit = { change: 'edit', expectedCalls: readExpectedCalls(fields) } as const
      await changeApiKey(company, getActing(request), readKeyId(request), edit, readSeenVersion(fields))
    } catch (error) {
      return sendKey(services, request, reply, { form: 'expect', problem: toFormProblem(error) })
    }
    return redirectToKey(request, reply, 'saved')
  })

  for (const change of ['disable', 'enable', 'revoke'] as const) {
    app.post<KeyRoute>(`${PATH}/:id/${change}`, async (request, reply) => {
      await changeApiKey(company, getActing(request), readKeyId(request), { change })
      return redirectToKey(request, reply, `${change}d`)
    })
  }
  app.get<KeyRoute>(`${PATH}/:id/revoke`, (request, reply) => sendKeyRevocation(services, request, reply))
}

function readKeyId({ params }: KeyRequest): string {
  if (!isId('key', params.id)) throw new ProblemError(NO_SUCH_KEY)
  return params.id
}

function redirectToKey(request: KeyRequest, reply: FastifyReply, word: string): FastifyReply {
  return reply.redirect(`${PATH}/${readKeyId(request)}?done=${word}`, 303)
}

async function requireKey({ db }: PageServices, request: KeyRequest): Promise<SeenKey> {
  const seenKey = await findApiKey(db, getViewer(request).companyId, readKeyId(request))
  if (!seenKey) throw new ProblemError(NO_SUCH_KEY)
  return seenKey
}

async function sendKey(
  services: PageServices,
  request: KeyRequest,
  reply: FastifyReply,
  wrong: KeyProblem | null,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const seen = await requireKey(services, request)
  const { key } = seen
  const addresses = await listAddresses(services.db, viewer.companyId, key.id, SHOWN_ADDRESSES)
  const proposal = await readProposal(services.db, viewer.companyId, seen, viewer.timeZone)
  const expected = renderExpectedCalls(
    seen,
    { path: `${PATH}/${key.id}/expect`, proposal, timeZone: viewer.timeZone },
    wrong?.form === 'expect' ? { fields: readFormFields(request.body), problem: wrong.problem } : null,
  )
  if (wrong?.problem) void reply.code(wrong.problem.status)
  return sendUserPage(request, reply, viewer, {
    title: key.name,
    body: html`${renderBreadcrumb(NAVIGATION.apiKeys)}
      <h1><bdi>${key.name}</bdi></h1>
      ${wrong ? renderFormAlert(wrong.problem) : renderNotice(request, DONE)} ${renderKeyFacts(seen, viewer.timeZone)}
      <div class="actions">
        <a class="button" href="${NAVIGATION.bulkUserLogs.path}?key=${key.id}">View calls</a>
        ${key.isRevoked ? '' : renderKeyActions(key)}
      </div>
      ${key.isRevoked ? html`<p>Revoked keys stay listed so that their past calls keep a name.</p>` : html`${renderKeyForms(request, seen, wrong, viewer.timeZone)} ${expected}`}
      ${renderAddresses(addresses, viewer.timeZone)}`,
  })
}

function renderKeyFacts(seen: SeenKey, timeZone: string): Html {
  const { key } = seen
  return html`<dl class="facts">
    <dt>Status</dt>
    <dd>${renderKeyStatus(seen)}</dd>
    <dt>API ID</dt>
    <dd>
      <code id="api-id">${key.id}</code> <button type="button" class="quiet" data-copy="#api-id" hidden>Copy</button>
    </dd>
    <dt>Secret</dt>
    <dd>${renderLastFour(key.lastFour)}</dd>
    <dt>Access</dt>
    <dd>${renderAccess(key)}</dd>
    <dt>Expires</dt>
    <dd>${renderExpiry(key, timeZone)}</dd>
    <dt>Allowed networks</dt>
    <dd>${renderNetworks(key)}</dd>
    <dt>Quota used</dt>
    <dd>${renderQuota(seen, timeZone)}</dd>
    <dt>Last used</dt>
    <dd>${renderLastUsed(key, timeZone)}</dd>
    <dt>Created</dt>
    <dd>${renderTime(key.createdAt, timeZone)}</dd>
    ${
      key.rotatedAt === null
        ? ''
        : html`<dt>Secret rotated</dt>
            <dd>${renderTime(key.rotatedAt, timeZone)}</dd>`
    }
    ${
      hasPreviousSecret(seen)
        ? html`<dt>Previous secret</dt>
            <dd>${renderLastFour(key.previousLastFour)} Works until ${renderTime(key.previousExpiresAt!, timeZone)}</dd>`
        : ''
    }
  </dl>`
}

/** Addresses that are shown of a key, the last used ones. */
const SHOWN_ADDRESSES = 50

function renderAddresses(addresses: UsedAddress[], timeZone: string): Html {
  if (addresses.length === 0) return html``
  const count = addresses.length === 1 ? '1 address' : `${addresses.length} addresses`
  const status = `Calls that create or update employees came from ${addresses.length < SHOWN_ADDRESSES ? '' : 'at least '}${count}.`
  return renderSection(
    { heading: 'Addresses', status },
    html`<table class="cards">
      <caption class="visually-hidden">
        Addresses, the last used first
      </caption>
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">First call</th>
          <th scope="col">Last call</th>
          <th scope="col">Program</th>
        </tr>
      </thead>
      <tbody>
        ${addresses.map(
          ({ address, firstAt, lastAt, userAgents }) =>
            html`<tr>
              <th scope="row">${renderAddressLink(address)}</th>
              <td data-label="First call">${renderTime(firstAt, timeZone)}</td>
              <td data-label="Last call">${renderTime(lastAt, timeZone)}</td>
              <td data-label="Program">${userAgents.map((userAgent) => html`<div><bdi>${userAgent}</bdi></div>`)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  )
}

function renderKeyActions({ id, isEnabled }: SeenKey['key']): Html {
  const disable = { label: 'Disable', text: 'Calls with this key are refused immediately, until you enable it again.' }
  return html`${
    isEnabled
      ? renderConfirmedAction({ ...disable, action: `${PATH}/${id}/disable` })
      : html`<form method="post" action="${PATH}/${id}/enable"><button>Enable</button></form>`
  }
    <a class="button danger" href="${PATH}/${id}/revoke">Revoke…</a>`
}

const OVERLAPS = [
  { value: '0', label: 'immediately' },
  { value: '3600', label: 'after 1 hour' },
  { value: String(DEFAULT_OVERLAP_SECONDS), label: 'after 24 hours' },
  { value: '604800', label: 'after 7 days' },
]

function renderKeyForms(request: KeyRequest, shown: SeenKey, wrong: KeyProblem | null, timeZone: string): Html {
  const { key } = shown
  const isEdited = wrong?.form === 'edit'
  const values = isEdited ? readFormFields(request.body) : formatKeyFields(shown, timeZone)
  // A form that comes back still shows the version that it was filled in for, unless the key has changed since.
  const isOutdated = isEdited && wrong.problem?.code === 'precondition_failed'
  const seen = isEdited && !isOutdated ? (readSeenVersion(readFormFields(request.body)) ?? key.version) : key.version
  const rotateProblem = wrong?.form === 'rotate' ? wrong.problem : null
  const quota = `${formatNumber(key.quotaLimit)} calls ${key.refreshPeriod}; ${formatScopes(key.scopes)}`
  return html`${renderSection(
    { heading: 'Name, quota and access', status: quota, isOpen: isEdited },
    html`<form method="post" action="${PATH}/${key.id}" class="stack">
      ${renderSeenVersion(seen)} ${renderKeyFields(values, isEdited ? wrong.problem : null, timeZone)}
      <button class="primary">Save</button>
    </form>`,
  )}
  ${renderSection(
    {
      heading: 'Secret rotation',
      status: describeRotation(key.rotatedAt, shown.now),
      isOpen: rotateProblem !== null,
    },
    html`<p>
        The key gets a new secret, which is shown once. The current secret keeps working for the time you choose. Any
        older secret stops now.
      </p>
      <form method="post" action="${PATH}/${key.id}/rotate" class="stack">
        ${renderSeenVersion(key.version)}
        ${renderChoice({ name: 'overlap_seconds', label: 'Expire current secret', value: String(DEFAULT_OVERLAP_SECONDS), options: OVERLAPS }, rotateProblem)}
        <button>Rotate secret</button>
      </form>`,
  )}`
}

async function sendKeyRevocation(
  services: PageServices,
  request: KeyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { key } = await requireKey(services, request)
  return sendUserPage(request, reply, viewer, {
    title: `Revoke ${key.name}`,
    body: html`${renderBreadcrumb(NAVIGATION.apiKeys, [{ label: key.name, path: `${PATH}/${key.id}` }])}
      <h1>Revoke “<bdi>${key.name}</bdi>”?</h1>
      <p>All calls with this key, including uploads in progress, will be refused immediately. This can't be undone.</p>
      <p>Last used: ${renderLastUsed(key, viewer.timeZone)}. To block it temporarily, disable it instead.</p>
      <form method="post" action="${PATH}/${key.id}/revoke" class="actions">
        <button class="danger">Revoke key</button>
        <a class="button" href="${PATH}/${key.id}">Cancel</a>
      </form>`,
  })
}
