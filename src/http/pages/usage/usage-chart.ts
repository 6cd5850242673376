import { html } from 'hono/html'
import { chooseLabelledColumns, roundScale, type Segment, stackBars } from './bar-chart.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'

/** The completed and failed calls (or records) of a day. */
export interface DayOutcome {
  /** YYYY-MM-DD. */
  day: string
  completed: number
  failed: number
}

/** Pixels. The chart is as wide as the page. */
const [HEIGHT, BELOW] = [180, 28]
const MAX_STEPS = 5
const NAMED_DAYS = 3

const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short' })

/** Formats a day (YYYY-MM-DD), such as `20 Nov`. */
export function formatDay(day: string): string {
  return DAY.format(new Date(`${day}T00:00:00Z`))
}

/**
 * Renders a bar for each day: completed below, failed above and hatched, so that colour is not the only cue. Put a
 * table with the same numbers below it, for readers who cannot see the chart.
 */
export function renderOutcomeChart(id: string, title: string, days: readonly DayOutcome[]): Html {
  const { max, ticks } = roundScale(
    days.reduce((most, { completed, failed }) => Math.max(most, completed + failed), 0),
    MAX_STEPS,
  )
  const bars = stackBars(
    days.map(({ completed, failed }) => [completed, failed]),
    max,
    HEIGHT,
  )
  return html`<figure class="chart">
    ${renderLegend(id)}
    <svg role="img" aria-labelledby="${id}-title ${id}-desc" height="${HEIGHT + BELOW}">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${describeDays(days)}</desc>
      ${renderHatch(`${id}-hatch`)} ${ticks.map((tick) => renderGridLine(tick, HEIGHT - (tick / max) * HEIGHT))}
      ${bars.map((segments, at) => renderBar(days[at]!, segments, `${id}-hatch`))}
      ${chooseLabelledColumns(days.length, NAMED_DAYS).map((column, at, { length }) => renderDayName(days[column]!.day, bars[column]![0]!, at, length))}
    </svg>
  </figure>`
}

function describeDays(days: readonly DayOutcome[]): string {
  const sum = (of: 'completed' | 'failed') => formatNumber(days.reduce((total, day) => total + day[of], 0))
  const peak = days.reduce((highest, day) =>
    day.completed + day.failed > highest.completed + highest.failed ? day : highest,
  )
  const most = formatNumber(peak.completed + peak.failed)
  return `${days.length} days: ${sum('completed')} completed, ${sum('failed')} failed. Most on ${formatDay(peak.day)}: ${most}.`
}

function renderLegend(id: string): Html {
  return html`<figcaption class="legend">
    <span
      ><svg aria-hidden="true" width="14" height="14"><rect class="completed" width="14" height="14" /></svg>
      Completed</span
    >
    <span
      ><svg aria-hidden="true" width="14" height="14">
        ${renderHatch(`${id}-key`)}
        <rect class="failed-ground" width="14" height="14" />
        <rect fill="url(#${id}-key)" width="14" height="14" />
      </svg>
      Failed</span
    >
  </figcaption>`
}

function renderHatch(id: string): Html {
  return html`<defs
    ><pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="hatch" width="3" height="6" /></pattern
  ></defs>`
}

function renderGridLine(tick: number, y: number): Html {
  return html`<line class="${tick === 0 ? 'axis' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}" />
    <text x="-8" y="${y}" dy="0.32em" text-anchor="end">${formatNumber(tick)}</text>`
}

function renderBar({ day, completed, failed }: DayOutcome, segments: readonly Segment[], hatchId: string): Html {
  if (completed + failed === 0) return html``
  const [below, above] = segments.map(
    ({ x, width, y, height }) => html`x="${x}%" width="${width}%" y="${y}" height="${height}"`,
  )
  return html`<g>
    <title>${formatDay(day)}: ${formatNumber(completed)} completed, ${formatNumber(failed)} failed</title>
    ${completed > 0 ? html`<rect class="completed" ${below} />` : ''}
    ${failed > 0 ? html`<rect class="failed-ground" ${above} /><rect fill="url(#${hatchId})" ${above} />` : ''}</g
  >`
}

/** Renders a day's label. The first is left-aligned and the last right-aligned, to stay inside the chart. */
function renderDayName(day: string, { x, width }: Segment, at: number, count: number): Html {
  const anchor = at === 0 ? 'start' : at === count - 1 ? 'end' : 'middle'
  const place = at === 0 ? x : at === count - 1 ? x + width : x + width / 2
  return html`<text x="${place}%" y="${HEIGHT + 18}" text-anchor="${anchor}">${formatDay(day)}</text>`
}
