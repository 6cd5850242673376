import { capitalise } from '#pages/parts/call-words'
import { html } from '#pages/parts/elements'
import { formatCount, formatNumber } from '#wording/numbers'

/* Computes the layout of a stacked bar chart. */

/** An axis from 0 with round steps: 1, 2 or 5 times a power of ten. */
interface Scale {
  max: number
  /** From 0 to `max`. */
  ticks: number[]
}

/** Returns the smallest whole-number scale that holds the largest value in at most `maxSteps` steps. */
export function roundScale(largest: number, maxSteps: number): Scale {
  const step = chooseStep(Math.max(largest, 1) / maxSteps)
  const steps = Math.max(1, Math.ceil(largest / step))
  return { max: steps * step, ticks: Array.from({ length: steps + 1 }, (_, at) => at * step) }
}

function chooseStep(atLeast: number) {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const factor = [1, 2, 5, 10].find((round) => round * power >= atLeast) ?? 10
  return Math.max(1, factor * power)
}

/** A part of a bar: `x` and `width` in percent of the chart's width, `y` (from the top) and `height` in its unit. */
interface Segment {
  x: number
  width: number
  y: number
  height: number
}

/** The part of a column that its bar fills; the rest is the gap. */
const FILLED = 0.8

/**
 * Returns the segments of each bar, in the order of its values, the first at the bottom. Every value above 0 is high
 * enough to be visible.
 */
export function stackBars(bars: readonly (readonly number[])[], max: number, height: number): Segment[][] {
  const column = 100 / bars.length
  return bars.map((values, at) => {
    let top = height
    return values.map((value) => {
      const tall = value === 0 ? 0 : Math.max(1, (value / max) * height)
      top -= tall
      return {
        x: roundToHundredths((at + (1 - FILLED) / 2) * column),
        width: roundToHundredths(column * FILLED),
        y: roundToHundredths(top),
        height: roundToHundredths(tall),
      }
    })
  })
}

function roundToHundredths(value: number) {
  return Math.round(value * 100) / 100
}

/** Chooses the columns that get a label: the first, the last, and some evenly spaced between them. */
export function chooseLabeledColumns(columns: number, names: number): number[] {
  const count = Math.min(columns, names)
  if (count < 2) return columns === 0 ? [] : [0]
  return Array.from({ length: count }, (_, at) => Math.round((at * (columns - 1)) / (count - 1)))
}

/** The completed and failed calls (or records) of an hour or a day. */
interface OutcomeBar {
  /** The time that the bar stands for, such as `20 Nov`. */
  label: string
  completed: number
  failed: number
  /** Where the bar leads. */
  href?: string
}

interface Chart {
  id: string
  title: string
  /** What a bar stands for, in the plural: `days`. */
  unit: string
  bars: readonly OutcomeBar[]
  /** A low chart beside other content, with its title above it. */
  isCompact?: boolean
  /** What the lower and the upper parts of the bars count. */
  words?: Words
  /** Whether they are how many there are at the end of their time, not what happened in it. */
  isLevel?: boolean
}

type Words = readonly [below: string, above: string]
const OUTCOMES: Words = ['completed', 'failed']

/** Pixels. The chart is as wide as its place. */
const FULL = { height: 180, below: 28, labelAt: 18, maxSteps: 5 }
const COMPACT = { height: 36, below: 16, labelAt: 13, maxSteps: 2 }
const LABELS = 3

/**
 * Renders a bar for each hour or day: completed below, failed above and hatched, so that color is not the only cue. Bars
 * that are links say their numbers; put a table with the numbers below a chart of other bars.
 */
export function renderOutcomeChart({ id, title, unit, bars, isCompact, isLevel, words = OUTCOMES }: Chart) {
  const { height, below, labelAt, maxSteps } = isCompact ? COMPACT : FULL
  const values = bars.map(({ completed, failed }) => [completed, failed] as const)
  const highest = values.reduce((most, [completed, failed]) => Math.max(most, completed + failed), 0)
  const { max, ticks } = roundScale(highest, maxSteps)
  const stacks = stackBars(values, max, height)
  const labeled = chooseLabeledColumns(bars.length, LABELS)
  // What is inside an image can't be followed.
  const role = bars.some(({ href }) => href !== undefined) ? 'group' : 'img'
  return html`<figure class="chart ${isCompact && 'compact'}">
    ${renderLegend(id, isCompact ? title : '', words)}
    <svg role="${role}" aria-labelledby="${id}-title ${id}-desc" height="${height + below}">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-desc">${isLevel ? describeLevels(bars, words) : describeBars(bars, unit, words)}</desc>
      ${renderHatch(`${id}-hatch`)}
      <g aria-hidden="true">
        ${ticks.map((tick) => renderGridLine(tick, height - (tick / max) * height))}
        ${labeled.map((column, at, { length }) => {
          const place = stacks[column]![0]!
          return renderLabel(bars[column]!.label, place, height + labelAt, at, length)
        })}
      </g>
      ${stacks.map((segments, at) => renderBar(bars[at]!, segments, height, { id: `${id}-hatch`, words }))}
    </svg>
  </figure>`
}

function describeBars(bars: readonly OutcomeBar[], unit: string, [below, above]: Words) {
  const sum = (of: 'completed' | 'failed') => formatNumber(bars.reduce((count, bar) => count + bar[of], 0))
  const total = (bar: OutcomeBar) => bar.completed + bar.failed
  const peak = bars.reduce((highest, bar) => (total(bar) > total(highest) ? bar : highest))
  const most = `Most on ${peak.label}: ${formatNumber(total(peak))}.`
  const all = formatCount(bars.length, unit.slice(0, -1))
  return `${all}: ${sum('completed')} ${below}, ${sum('failed')} ${above}. ${most}`
}

function describeLevels(bars: readonly OutcomeBar[], words: Words) {
  return [bars[0]!, bars.at(-1)!].map((bar) => `${nameBar(bar, words)}.`).join(' ')
}

/** Says the numbers of a bar. */
function nameBar({ label, completed, failed }: OutcomeBar, [below, above]: Words) {
  return `${label}: ${formatNumber(completed)} ${below}, ${formatNumber(failed)} ${above}`
}

function renderLegend(id: string, title: string, [below, above]: Words) {
  return html`<figcaption class="legend cluster">
    ${title !== '' && html`<span>${title}</span>`}
    <span
      ><svg aria-hidden="true" width="14" height="14"><rect class="completed" width="14" height="14" /></svg>
      ${capitalise(below)}</span
    >
    <span
      ><svg aria-hidden="true" width="14" height="14">
        ${renderHatch(`${id}-key`)}
        <rect class="failed-ground" width="14" height="14" />
        <rect fill="url(#${id}-key)" width="14" height="14" />
      </svg>
      ${capitalise(above)}</span
    >
  </figcaption>`
}

function renderHatch(id: string) {
  return html`<defs
    ><pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="hatch" width="3" height="6" /></pattern
  ></defs>`
}

function renderGridLine(tick: number, y: number) {
  return html`<line class="${tick === 0 ? 'axis' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}" />
    <text x="-8" y="${y}" dy="0.32em" text-anchor="end">${formatNumber(tick)}</text>`
}

function renderBar(
  bar: OutcomeBar,
  segments: readonly Segment[],
  height: number,
  { id, words }: { id: string; words: Words },
) {
  const { completed, failed, href } = bar
  if (completed + failed === 0) return html``
  const [below, above] = segments.map(
    ({ x, width, y, height }) => html`x="${x}%" width="${width}%" y="${y}" height="${height}"`,
  )
  const name = nameBar(bar, words)
  const { x, width } = segments[0]!
  const content = html`<title>${name}</title>
    ${href !== undefined && html`<rect class="target" x="${x}%" width="${width}%" y="0" height="${height}" />`}
    ${completed > 0 && html`<rect class="completed" ${below} />`}
    ${failed > 0 && html`<rect class="failed-ground" ${above} /><rect fill="url(#${id})" ${above} />`}`
  return href === undefined ? html`<g>${content}</g>` : html`<a href="${href}" aria-label="${name}">${content}</a>`
}

/**
 * Renders a bar's label. The first is left-aligned and the last right-aligned, to stay inside the chart. A narrow page has
 * no room for those between.
 */
function renderLabel(label: string, { x, width }: Segment, y: number, at: number, count: number) {
  const anchor = at === 0 ? 'start' : at === count - 1 ? 'end' : 'middle'
  const place = at === 0 ? x : at === count - 1 ? x + width : x + width / 2
  const style = anchor === 'middle' ? html`class="between"` : ''
  return html`<text x="${place}%" y="${y}" text-anchor="${anchor}" ${style}>${label}</text>`
}
