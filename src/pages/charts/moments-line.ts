import { formatCount } from '#wording/numbers'
import { formatDay, html } from '#pages/parts/elements'

/** Pixels. The line is as wide as its place. */
const [HEIGHT, MIDDLE, RADIUS] = [34, 10, 5]
/** Fewer say nothing that a table of them doesn't say. */
const FEWEST = 3

/**
 * Renders instants, newest first, as points on a line of time, to see when much happened. Needs a table of them. Nothing
 * if they are few, or all at once.
 */
export function renderMoments(instants: readonly string[], timeZone: string) {
  const times = instants.map((instant) => Date.parse(instant))
  const [last, first] = [times[0] ?? 0, times.at(-1) ?? 0]
  if (times.length < FEWEST || last === first) return null
  const [from, to] = [instants.at(-1)!, instants[0]!].map((instant) => formatDay(instant, timeZone))
  const placeOf = (time: number) => Math.round(100 + (9_800 * (time - first)) / (last - first)) / 100
  return html`<figure class="chart compact moments">
    <svg role="img" aria-label="${formatCount(times.length, 'event')} from ${from} to ${to}" height="${HEIGHT}">
      <line class="axis" x1="0" x2="100%" y1="${MIDDLE}" y2="${MIDDLE}" />
      ${times.map((time) => html`<circle class="completed" cx="${placeOf(time)}%" cy="${MIDDLE}" r="${RADIUS}" />`)}
      <text x="0" y="${HEIGHT - 4}">${from}</text>
      <text x="100%" y="${HEIGHT - 4}" text-anchor="end">${to}</text>
    </svg>
  </figure>`
}
