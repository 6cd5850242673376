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

function chooseStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const factor = [1, 2, 5, 10].find((round) => round * power >= atLeast) ?? 10
  return Math.max(1, factor * power)
}

/** A part of a bar: `x` and `width` in percent of the chart's width, `y` (from the top) and `height` in its unit. */
export interface Segment {
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

function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100
}

/** Chooses the columns that get a label: the first, the last, and some evenly spaced between them. */
export function chooseLabeledColumns(columns: number, names: number): number[] {
  const count = Math.min(columns, names)
  if (count < 2) return columns === 0 ? [] : [0]
  return Array.from({ length: count }, (_, at) => Math.round((at * (columns - 1)) / (count - 1)))
}
