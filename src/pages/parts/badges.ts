import { html, type Html } from './html.ts'

type Tone = 'good' | 'warn' | 'bad' | 'plain'

const TICK = html`<path d="M3 8.5 6.5 12 13 4.5" />`
const CROSS = html`<path d="M4 4l8 8M12 4l-8 8" />`
const DASH = html`<path d="M3 8h10" />`
const PLUS = html`<path d="M8 3v10M3 8h10" />`
const TURN = html`<path d="M13 8a5 5 0 1 1-1.6-3.7M12 1.5v3.2H8.8" />`
const BAR = html`<circle cx="8" cy="8" r="5.5" /><path d="M4.3 11.7l7.4-7.4" />`
const MARK = html`<path d="M8 2.5v7M8 12.2v1.6" />`

const SIGNS: Record<Tone, Html> = { good: TICK, warn: MARK, bad: CROSS, plain: DASH }

/** Renders a status as a word, with an icon and a color of the same meaning. */
export function renderBadge(tone: Tone, word: string, sign: Html = SIGNS[tone]): Html {
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">${sign}</svg
    >${word}</span
  >`
}

/** Statuses of entries and employees, and outcomes of records, each with its own icon. */
const STATUSES = {
  Completed: renderBadge('good', 'Completed'),
  Failed: renderBadge('bad', 'Failed'),
  Created: renderBadge('good', 'Created', PLUS),
  Synced: renderBadge('good', 'Synced'),
  Reactivated: renderBadge('good', 'Reactivated', TURN),
  Deactivated: renderBadge('warn', 'Deactivated', BAR),
  'No Updates': renderBadge('plain', 'No Updates'),
  active: renderBadge('good', 'Active'),
  inactive: renderBadge('warn', 'Inactive'),
}

/** Renders the status of an entry or an employee, or the outcome of a record. */
export function renderStatusBadge(status: keyof typeof STATUSES): Html {
  return STATUSES[status]
}
