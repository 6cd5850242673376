import { html } from 'hono/html'
import type { Html } from './page.ts'

const TICK = html`<path d="M3 8.5 6.5 12 13 4.5" />`
const CROSS = html`<path d="M4 4l8 8M12 4l-8 8" />`
const DASH = html`<path d="M3 8h10" />`
const PLUS = html`<path d="M8 3v10M3 8h10" />`
const TURN = html`<path d="M13 8a5 5 0 1 1-1.6-3.7M12 1.5v3.2H8.8" />`
const BAR = html`<circle cx="8" cy="8" r="5.5" /><path d="M4.3 11.7l7.4-7.4" />`

/** The status of an entry, and what became of a record: each with a sign, a word and a colour of its own. */
const LOOKS = {
  Completed: { tone: 'good', sign: TICK },
  Failed: { tone: 'bad', sign: CROSS },
  Created: { tone: 'good', sign: PLUS },
  Synced: { tone: 'good', sign: TICK },
  Reactivated: { tone: 'good', sign: TURN },
  Deactivated: { tone: 'warn', sign: BAR },
  'No Updates': { tone: '', sign: DASH },
} as const

export function statusBadge(status: keyof typeof LOOKS): Html {
  const { tone, sign } = LOOKS[status]
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">${sign}</svg>${status}</span
  >`
}
