import type { SessionUser } from '../../../accounts/users/sessions.ts'
import type { StoredFile } from '../../../ledger/evidence/stored-files.ts'
import { html, type Html } from '../parts/html.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { describeSubject } from './read-me.ts'

const MIB = 1024 ** 2

/** Renders the file that a job makes or has made. */
export function renderStoredFile(file: StoredFile, viewer: SessionUser, href: string): Html {
  const about = describeSubject({ subject: file.subject, company: viewer })
  return html`<h2>File about ${about}</h2>
    ${renderState(file, viewer, href)}`
}

function renderState(
  { state, events, eventsRead, bytes, expiresAt, problem }: StoredFile,
  viewer: SessionUser,
  href: string,
): Html {
  switch (state) {
    case 'waiting':
      return html`<p role="status">Waiting for a worker.</p>
        <progress aria-label="Events in the file"></progress>`
    case 'making':
      return html`<p role="status">Read ${formatNumber(eventsRead)} of ${formatNumber(events)} events.</p>
        <progress max="${Math.max(events, 1)}" value="${eventsRead}" aria-label="Events in the file"></progress>`
    case 'done':
      return html`<p role="status">
          ${formatNumber(events)} events, ${formatNumber(Math.ceil(bytes / MIB))} MiB. Kept until
          ${renderTime(expiresAt, viewer.timeZone)}, or until data of your company are erased.
        </p>
        <p class="actions"><a class="button primary" href="${href}" download>Download evidence file</a></p>`
    case 'failed':
      return html`<p class="warning" role="status">${problem}</p>`
    case 'stopped':
      return html`<p class="warning" role="status">
        The job that was making this file has stopped. Start again. If that does not help, tell the operator of this
        service.
      </p>`
  }
}
