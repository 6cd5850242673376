import type { SessionUser } from '#accounts/users/sessions'
import type { VerificationRun } from '#ledger/audit/verification-rows'
import type { ConsistentLedger } from '#ledger/audit/verify-export'
import { renderBadge } from '../parts/badges.ts'
import { renderFacts } from '../parts/facts.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { renderTime } from '../parts/times.ts'

/** Renders the last verification of a ledger, and the button that starts or cancels one. */
export function renderRun(
  run: VerificationRun | null,
  names: ReadonlyMap<string, string>,
  forms: PageForms<'verify' | 'cancel'>,
  viewer: SessionUser,
): Html {
  const start = renderForm(forms, 'verify', { buttons: html`<button class="primary">Verify ledger</button>` })
  if (run === null)
    return html`<p>The ledger has not been verified from this page yet.</p>
      ${start}`
  const { startedBy, startedAt, verdict, position, size } = run
  const by = html`<p class="hint">
    Started by <bdi>${names.get(startedBy) ?? startedBy}</bdi>, ${renderTime(startedAt, viewer.timeZone)}
  </p>`
  if (verdict === null)
    return html`<p role="status">Verified ${formatNumber(position)} of ${formatNumber(size)} events</p>
      <progress max="${Math.max(size, 1)}" value="${Math.min(position, size)}" aria-label="Verified events"></progress>
      ${by} ${renderForm(forms, 'cancel', { buttons: html`<button>Cancel</button>` })}`
  return html`${renderVerdict(verdict, run)} ${by} ${start}`
}

function renderVerdict(verdict: NonNullable<VerificationRun['verdict']>, { position, size }: VerificationRun): Html {
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
          <bdi>${verdict.reason}</bdi>
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

function renderConsistent({ events, calls, erased, root, signed_to: signedTo }: ConsistentLedger): Html {
  const badge = renderBadge('good', 'Consistent')
  return html`<p role="status">${badge} All ${formatNumber(events)} events are as they were recorded.</p>
    ${renderFacts([
      ['Calls', formatNumber(calls)],
      ['Events whose data was erased', `${formatNumber(erased)}, each explained by an erasure`],
      ['Root', html`<code>${root}</code>`],
      ['Signed', signedTo > 0 ? `Up to position ${formatNumber(signedTo)}` : 'No: this service has no signing key'],
    ])}`
}
