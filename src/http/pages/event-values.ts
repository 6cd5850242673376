import { html } from 'hono/html'
import type { Envelope } from '../../ledger/codec.ts'
import { NAVIGATION } from './navigation.ts'
import type { Html } from './page.ts'

/** A stored text as people read it: JSON with one member on a line, and what is no JSON as it is. */
export function shownJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Stored text that cannot be read is what somebody may be looking for.
    return text
  }
}

/** Who caused an event: by name where there is one, and always by id. */
export function shownActor(actor: string, names: ReadonlyMap<string, string>): Html {
  if (actor === 'operator') return html`the command line`
  const name = names.get(actor)
  return html`${name === undefined ? '' : html`${name} `}<code>${actor}</code>`
}

/** The call that an event belongs to. Its log entry is for administrators alone. */
export function shownCall({ call_id: call }: Envelope, isAdmin: boolean): Html {
  if (call === null) return html``
  const id = html`<code>${call}</code>`
  const address = isAdmin ? `${NAVIGATION.bulkUserLogs.path}/${encodeURIComponent(call)}` : `${NAVIGATION.events.path}?id=${encodeURIComponent(call)}`
  return html`<div class="hint">of call <a href="${address}">${id}</a></div>`
}
