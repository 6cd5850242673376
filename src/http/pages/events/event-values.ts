import { html } from 'hono/html'
import { isId } from '../../../domain/ids.ts'
import type { Envelope } from '../../../ledger/integrity/codec.ts'
import type { SessionUser } from '../../../accounts/users/sessions.ts'
import { buildUrl } from '../parts/addresses.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'

/** A stored text as people read it: JSON with one member on a line, and what is no JSON as it is. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Stored text that cannot be read is what somebody may be looking for.
    return text
  }
}

/** Who caused an event: by name where there is one, and always by id. */
export function renderActor(actor: string, names: ReadonlyMap<string, string>): Html {
  if (actor === 'operator') return html`the command line`
  const name = names.get(actor)
  return html`${name === undefined ? '' : html`<bdi>${name}</bdi> `}<code>${actor}</code>`
}

/** The call that an event belongs to. Its log entry is for administrators alone. */
export function renderCallLink({ call_id: call }: Pick<Envelope, 'call_id'>, { role }: SessionUser): Html {
  if (call === null) return html``
  const entry = `${NAVIGATION.bulkUserLogs.path}/${encodeURIComponent(call)}`
  const address = role === 'admin' ? entry : buildUrl(NAVIGATION.events.path, { id: call })
  return html`<div class="hint">
    of call <a href="${address}"><code>${call}</code></a>
  </div>`
}

/** What an event is about: of an employee, how the event left them; of anything else, all of its events. */
export function renderStream({ stream, position, version }: Pick<Envelope, 'stream' | 'position' | 'version'>): Html {
  const address = isId('emp', stream)
    ? buildEmployeeUrl(stream, position)
    : buildUrl(NAVIGATION.events.path, { id: stream })
  return html`<a href="${address}"><code>${stream}</code></a
    >, version ${version}`
}

/** The page of an employee, as of a position or today. */
export function buildEmployeeUrl(id: string, position?: number): string {
  return buildUrl(`${NAVIGATION.employees.path}/${encodeURIComponent(id)}`, { at: position })
}

/** The link to the page of an event. */
export function renderEventLink(position: number): Html {
  return html`<a href="${NAVIGATION.events.path}/${position}">${position}</a>`
}
