import { databaseTimeMs } from '../../../postgres/database-clock.ts'
import { html } from 'hono/html'
import type { Html } from './page.ts'

/** Renders an RFC 3339 instant in the company's time zone, with its age. */
export function renderTime(instant: string, timeZone: string, nowMs = databaseTimeMs()): Html {
  return html`<time datetime="${instant}">${formatTime(instant, timeZone)}</time>
    <span class="ago" data-since="${instant}">${formatAge(Date.parse(instant), nowMs)}</span>`
}

/** Formats an instant in a time zone, such as `20 Nov 2026, 14:05:09 CET`. */
export function formatTime(instant: string, timeZone: string): string {
  return getFormatter(timeZone).format(new Date(instant))
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function getFormatter(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, timeZoneName: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
    })
    // There are some 600 time zones, and a company's is one of them.
    formatters.set(timeZone, formatter)
  }
  return formatter
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
