import { formatAge } from '#wording/lengths-of-time'
import { formatTime } from '#domain/local-times'
import { databaseTime, databaseTimeMs } from '#postgres/database-clock'
import { html, type Html } from './html.ts'

/*
 * How pages show a time, an RFC 3339 instant, in the company's time zone:
 * - how long ago or ahead it is, such as `2 hours ago`, with the full time on hover and focus (`renderTime`);
 * - a day, such as `1 Dec`, if the hour does not matter, with the same (`renderDay`);
 * - in full, such as `20 Nov 2026, 14:05:09 CET`, in lists of calls and events, and within sentences (`formatTime`).
 * A day has its year if that is not the present one.
 */

/** Renders how long ago or ahead an instant is. */
export function renderTime(instant: string, timeZone: string): Html {
  return renderFocusable(instant, timeZone, renderAge(instant))
}

/** Renders how long ago an instant was; `never` if it is null. */
export function renderTimeOrNever(instant: string | null, timeZone: string): Html {
  return instant === null ? html`never` : renderTime(instant, timeZone)
}

/** Renders a link that says how long ago an instant was. The link shows the full time, so that Tab stops once. */
export function renderTimeLink(href: string, instant: string, timeZone: string): Html {
  return renderLink(href, instant, timeZone, renderAge(instant))
}

/** Renders the day of an instant. */
export function renderDay(instant: string, timeZone: string): Html {
  return renderFocusable(instant, timeZone, html`${formatDay(instant, timeZone)}`)
}

/** Renders a link that says the day of an instant, and shows the full time. */
export function renderDayLink(href: string, instant: string, timeZone: string): Html {
  return renderLink(href, instant, timeZone, html`${formatDay(instant, timeZone)}`)
}

/** Formats a day of the calendar, YYYY-MM-DD, in the same way. */
export function formatCalendarDay(day: string): string {
  return formatDay(`${day}T00:00:00Z`, 'UTC')
}

/** Formats the day of an instant. */
export function formatDay(instant: string, timeZone: string): string {
  const dateOf = (time: string) => formatTime(time, timeZone).split(',')[0]!
  const [day, month, year] = dateOf(instant).split(' ')
  return dateOf(databaseTime()).endsWith(` ${year}`) ? `${day} ${month}` : `${day} ${month} ${year}`
}

function renderFocusable(instant: string, timeZone: string, shown: Html): Html {
  return html`<time datetime="${instant}" tabindex="0">${shown}${renderFullTime(instant, timeZone)}</time>`
}

function renderLink(href: string, instant: string, timeZone: string, shown: Html): Html {
  return html`<a href="${href}"><time datetime="${instant}">${shown}${renderFullTime(instant, timeZone)}</time></a>`
}

function renderAge(instant: string): Html {
  return html`<span data-since="${instant}">${formatAge(Date.parse(instant), databaseTimeMs())}</span>`
}

function renderFullTime(instant: string, timeZone: string): Html {
  return html`<span class="when-full"> ${formatTime(instant, timeZone)}</span>`
}

/** Says, as the hint of a field, in which time zone it takes times. */
export function describeZone(timeZone: string): string {
  return `Time in ${timeZone.replaceAll('_', ' ')}.`
}

/** Says when a secret was last replaced, if ever. */
export function describeRotation(rotatedAt: string | null, now: string): string {
  return rotatedAt === null ? 'Never rotated' : `Rotated ${formatAge(Date.parse(rotatedAt), Date.parse(now))}`
}
