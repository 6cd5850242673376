import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SessionUser } from '#accounts/users/sessions'
import type { ConsistentLedger } from '#ledger/audit/verify-export'
import { NAVIGATION, EVIDENCE_PATH } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { explainRefusal, NoSigningKeyError } from '#ledger/audit/sign-checkpoint'
import { createVerifications, MAX_EVENTS, type Verifications, type VerificationRun } from '#ledger/audit/verifications'
import { type FailingWork, readFailingWork } from '#ledger/background/failing-work'
import { readNames } from '#ledger/read/read-names'
import type { LedgerDb } from '#ledger/tables'
import { problemError } from '#http/server/problem'
import {
  renderCode,
  renderBadge,
  renderFacts,
  html,
  renderTime,
  renderId,
  isolate,
  renderActions,
  renderButton,
  renderHint,
  renderAlert,
} from '#pages/parts/elements'
import { renderForm, type PageForms, addFormPage } from '#pages/parts/form-page'
import { type PageServices, getViewer } from '#pages/parts/context'

/** Renders the last verification of a ledger, and the button that starts or cancels one. */
function renderRun(
  run: VerificationRun | null,
  names: ReadonlyMap<string, string>,
  forms: PageForms<'verify' | 'cancel'>,
  viewer: SessionUser,
) {
  const start = renderForm(forms, 'verify', { buttons: html`<button class="primary">Verify ledger</button>` })
  if (run === null)
    return html`<p>The ledger has not been verified from this page yet.</p>
      ${start}`
  const { startedBy, startedAt, verdict, position, size } = run
  const by = renderHint(
    html`Started by ${isolate(names.get(startedBy) ?? startedBy)}, ${renderTime(startedAt, viewer.timeZone)}`,
  )
  if (verdict === null)
    return html`<p role="status">Verified ${formatNumber(position)} of ${formatNumber(size)} events</p>
      <progress max="${Math.max(size, 1)}" value="${Math.min(position, size)}" aria-label="Verified events"></progress>
      ${by} ${renderForm(forms, 'cancel', { buttons: html`<button>Cancel</button>` })}`
  return html`${renderVerdict(verdict, run)} ${by} ${start}`
}

function renderVerdict(verdict: NonNullable<VerificationRun['verdict']>, { position, size }: VerificationRun) {
  const place = `after ${formatNumber(position)} of ${formatNumber(size)} events`
  switch (verdict.verdict) {
    case 'consistent':
      return renderConsistent(verdict)
    case 'canceled':
      return html`<p role="status">The last verification was canceled ${place}.</p>`
    case 'interrupted':
      return html`<p class="warning" role="status">
        The last verification was interrupted ${place}, because the service stopped. Start it again.
      </p>`
    case 'failed':
      return html`<p class="warning" role="status">
        The last verification could not be completed (${place}). It says nothing about the ledger. Start it again.
      </p>`
    case 'invalid':
    case 'diverged':
    case 'unverifiable':
      return html`<div class="alert" role="alert">
        <p>
          <strong>${FAULTS[verdict.verdict]}</strong>${
            verdict.position !== null &&
            html` at position
                  <a href="${NAVIGATION.events.path}/${verdict.position}">${formatNumber(verdict.position)}</a>`
          }:
          ${isolate(verdict.reason)}
        </p>
        <p>Tell the operator of this service, keep your checkpoints, and verify offline.</p>
      </div>`
  }
}

const FAULTS = {
  invalid: 'The ledger is inconsistent',
  diverged: 'The ledger contradicts its checkpoint',
  unverifiable: 'The ledger cannot be verified',
} as const

function renderConsistent({ events, calls, erased, root, signed_to: signedTo }: ConsistentLedger) {
  const badge = renderBadge('good', 'Consistent')
  return html`<p role="status">${badge} All ${formatNumber(events)} events are as they were recorded.</p>
    ${renderFacts({
      Calls: formatNumber(calls),
      'Events whose data was erased': `${formatNumber(erased)}, each explained by an erasure`,
      Root: renderCode(root),
      Signed: signedTo > 0 ? `Up to position ${formatNumber(signedTo)}` : 'No: this service has no signing key',
    })}`
}

const PATH = NAVIGATION.ledger.path
/** How often the page updates a verification that is running: with scripts, and without. */
const REFRESH_MS = 1_000
const RELOAD_SECONDS = 3

/** `/settings/ledger`: the signed checkpoint, and verification now or offline. For administrators and auditors. */
export function addLedgerPage(app: FastifyInstance, services: PageServices) {
  const { db, signer } = services
  const onError = (error: unknown) => app.log.error({ err: error }, 'could not verify a ledger')
  const verifications = createVerifications({ db, signer, onError })
  app.addHook('onClose', () => verifications.stop())
  // The script reloads only the verification.
  const isReload = ({ headers }: FastifyRequest) => headers['sec-fetch-mode'] === 'cors'
  addFormPage(app, {
    path: PATH,
    config: { isHeavyRead: (request: FastifyRequest) => !isReload(request) },
    load: (request) => loadVerification(db, verifications, request),
    render: async ({ run, names, unsigned }, forms, request) => {
      const viewer = getViewer(request)
      const isRunning = run?.verdict === null
      const refresh = isRunning ? html`data-refresh="${REFRESH_MS}"` : ''
      return {
        title: 'Ledger integrity',
        reloadSeconds: isRunning ? RELOAD_SECONDS : undefined,
        body: html`${unsigned && renderUnsigned(unsigned, viewer.timeZone)}
          <p>
            Each event of your company is a leaf of a Merkle tree (RFC 6962). If an event is changed,
            removed or inserted, the root of the tree changes, and a signed checkpoint proves what the root was.
          </p>
          ${renderActions(renderButton(EVIDENCE_PATH, 'Evidence files'))}
          <h2>Verification</h2>
          <div id="run" ${refresh}>${renderRun(run, names, forms, viewer)}</div>
          <h2>Signed checkpoint</h2>
          ${!isReload(request) && (await renderCheckpoint(services, request))}
          ${renderOffline(signer.publicKeys(viewer.companyId).current)}`,
      }
    },
    notices: {
      running: 'A verification was already running.',
      busy: 'The service is verifying many ledgers. Nothing was started; try again in a few minutes.',
      'too-large': `Ledgers of more than ${formatNumber(MAX_EVENTS)} events are verified offline. Nothing was started.`,
    },
    forms: {
      verify: {
        path: '/verify',
        async run(request) {
          const { companyId, userId } = getViewer(request)
          const started = await verifications.start(companyId, userId)
          return started === 'started' ? { goTo: PATH } : { done: started }
        },
      },
      cancel: {
        path: '/cancel',
        async run(request) {
          await verifications.cancel(getViewer(request).companyId)
          return { goTo: PATH }
        },
      },
    },
  })

  app.get(`${PATH}/checkpoint`, { config: { isHeavyRead: true } }, async (request, reply) => {
    const checkpoint = await sign(services, request)
    if ('refusal' in checkpoint) throw problemError('unavailable', checkpoint.refusal)
    return reply
      .header('content-disposition', 'attachment; filename="ledger.checkpoint"')
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(checkpoint.note)
  })
}

async function loadVerification(db: LedgerDb, verifications: Verifications, request: FastifyRequest) {
  const { companyId } = getViewer(request)
  const run = await verifications.read(companyId)
  const names = await readNames(db, companyId, run === null ? [] : [run.startedBy])
  const unsigned = (await readFailingWork(db, companyId)).find(({ work }) => work === 'signing')
  return { run, names, unsigned }
}

function renderUnsigned({ since, error }: FailingWork, timeZone: string) {
  return renderAlert(
    html`<strong>Nothing has been signed since</strong> ${renderTime(since, timeZone)}. ${isolate(error)}. Tell the
      operator, and keep your checkpoints.`,
  )
}

/** Signs a checkpoint, or says why the service refuses to. */
async function sign({ db, signer }: PageServices, request: FastifyRequest) {
  try {
    return await signer.sign(db, getViewer(request).companyId)
  } catch (error) {
    const refusal = explainRefusal(error)
    if (refusal === null) throw error
    if (!(error instanceof NoSigningKeyError)) request.log.error({ err: error }, 'no checkpoint was signed')
    return { refusal: `${refusal}.` }
  }
}

async function renderCheckpoint(services: PageServices, request: FastifyRequest) {
  const checkpoint = await sign(services, request)
  if ('refusal' in checkpoint) return html`<p class="alert">${checkpoint.refusal}</p>`
  const { size, root, note, last } = checkpoint
  return html`${renderFacts({
    Events: formatNumber(size),
    Root: renderId('root', root.toString('base64'), 'Copy root'),
    'Kept outside the database':
      last === null
        ? 'No checkpoint yet'
        : `The checkpoint at position ${formatNumber(last.size)}, which this one continues`,
  })}
    <details>
      <summary>Signed note</summary>
      <pre id="note">${note}</pre>
      <button type="button" data-copy="#note" hidden>Copy note</button>
    </details>
    <p class="actions">
      <a class="button" href="${PATH}/checkpoint" download="ledger.checkpoint">Download checkpoint</a>
    </p>
    <p class="hint">
      Keep checkpoints where the operator of this service can't change them. With an earlier one, verification also
      detects whether the whole ledger was rewritten.
    </p>`
}

function renderOffline(key: string | null) {
  const checkpoint = html`<a href="${PATH}/checkpoint" download="ledger.checkpoint">Download the checkpoint</a>`
  const ledger = (label: string) => html`<a href="/audit/v1/events?format=proof" download="ledger.ndjson">${label}</a>`
  const witness = key === null ? '' : ` \\\n  --checkpoint ledger.checkpoint --key '${key}'`
  return html`<h2>Verify offline</h2>
    <p>Offline verification trusts neither this service nor its operator, and needs no network.</p>
    <ol>
      <li>
        ${key === null ? ledger('Download the ledger') : html`${checkpoint}, then ${ledger('the ledger')}`}.
      </li>
      <li>
        Run the verifier of this program, or <a href="/verify">one that needs only Python or Go</a>:
        <pre id="command">npm run --silent cli -- audit verify ledger.ndjson${witness}</pre>
        <button type="button" data-copy="#command" hidden>Copy command</button>
      </li>
    </ol>
    <p>
      <a href="/verify/format">The format</a> says what is verified. The <a href="/docs">API reference</a> describes the
      audit endpoints.
    </p>`
}
