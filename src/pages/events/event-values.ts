import { isId } from '#domain/ids'
import type { EventHeader } from '#ledger/integrity/codec'
import type { SessionUser } from '#accounts/users/sessions'
import { buildEmployeeUrl, buildUrl, NAVIGATION } from '#wording/navigation'
import { html, isolate, renderCode } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'

/** Formats stored JSON with one member per line; returns any other text unchanged. */
export function formatJson(text: string) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Someone may be looking for exactly this: stored text that cannot be read.
    return text
  }
}

/** Renders who caused an event: the name, if there is one, and the id. */
export function renderActor(actor: string, names: ReadonlyMap<string, string>) {
  if (actor === 'operator') return html`the command line`
  const name = names.get(actor)
  return html`${name !== undefined && html`${isolate(name)} `}${renderCode(actor)}`
}

/** Renders a link to the call that an event belongs to, with its id. */
export function renderCallLink(event: Pick<EventHeader, 'call_id'>, viewer: Pick<SessionUser, 'role'>) {
  const href = buildCallUrl(event.call_id, viewer)
  if (href === null) return html``
  return html`<div class="hint">
    of call <a href="${href}">${renderCode(event.call_id)}</a>
  </div>`
}

/** Renders the same link as a word in a sentence. */
export function renderCallWord(event: Pick<EventHeader, 'call_id'>, viewer: Pick<SessionUser, 'role'>) {
  const href = buildCallUrl(event.call_id, viewer)
  return href === null ? html`` : html`<a class="call" href="${href}" aria-label="call ${event.call_id}">call</a>`
}

/** The address of a call's log entry or, for those who may not open entries, of its events. */
function buildCallUrl(call: string | null, { role }: Pick<SessionUser, 'role'>) {
  if (call === null) return null
  return role === 'admin'
    ? `${NAVIGATION.bulkUserLogs.path}/${encodeURIComponent(call)}`
    : buildUrl(NAVIGATION.events.path, { id: call })
}

/** Renders a link to the subject of an event: an employee after this event, or else all events of the stream. */
export function renderStreamLink({ stream, position, version }: EventHeader) {
  const address = isId('emp', stream)
    ? buildEmployeeUrl(stream, position)
    : buildUrl(NAVIGATION.events.path, { id: stream })
  return html`<a href="${address}">${renderCode(stream)}</a
    >, version ${version}`
}

/** Renders a link to an event's page. */
export function renderEventLink(position: number) {
  return html`<a href="${NAVIGATION.events.path}/${position}">${formatNumber(position)}</a>`
}
