import { html } from 'hono/html'
import { formatTime } from '../../../domain/local-times.ts'
import { databaseTimeMs } from '../../../postgres/database-clock.ts'
import type { Html } from './page.ts'

/** Renders how long ago or ahead an RFC 3339 instant is. Its date in the company's time zone shows on hover and focus. */
export function renderTime(instant: string, timeZone: string, nowMs = databaseTimeMs()): Html {
  const age = formatAge(Date.parse(instant), nowMs)
  return renderWithDate(instant, timeZone, html`<span data-since="${instant}">${age}</span>`)
}

/** Renders the day of an RFC 3339 instant in the company's time zone, such as `1 Dec`, with the date as above. */
export function renderDay(instant: string, timeZone: string): Html {
  return renderWithDate(instant, timeZone, html`${formatTime(instant, timeZone).split(' ', 2).join(' ')}`)
}

function renderWithDate(instant: string, timeZone: string, shown: Html): Html {
  const date = formatTime(instant, timeZone)
  return html`<time datetime="${instant}" tabindex="0">${shown}<span class="when-full"> ${date}</span></time>`
}

/** Each unit with its length, and the distance that rounds to one of it. */
const UNITS = [
  ['day', 86_400_000, 84_600_000],
  ['hour', 3_600_000, 3_570_000],
  ['minute', 60_000, 59_500],
  ['second', 1_000, 0],
] as const
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats how long ago or ahead an instant is, in the largest unit that fits, rounded. Milliseconds since the epoch. */
export function formatAge(atMs: number, nowMs: number): string {
  const away = atMs - nowMs
  const [unit, size] = UNITS.find(([, , from]) => Math.abs(away) >= from)!
  return RELATIVE.format(roundEvenly(away / size), unit)
}

/** Formats a length of time in the largest unit that fits, rounded, such as `2 hours`. */
export function formatLength(ms: number): string {
  const [unit, size] = UNITS.find(([, , from]) => ms >= from) ?? UNITS[3]
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(Math.round(ms / size))
}

/** Rounds halves away from zero, so that the past and the future round alike. */
function roundEvenly(number: number): number {
  return Math.sign(number) * Math.round(Math.abs(number))
}
