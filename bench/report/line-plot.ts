import { svgDocument } from './svg-document.ts'

/** A line of a plot; its points are in order of x. */
interface Line {
  name: string
  points: { x: number; y: number }[]
}

interface Axes {
  /** The labels of the axes. */
  x: string
  y: string
  /** The tick marks of the x axis. */
  marks: { x: number; label: string }[]
  /** Whether the x axis is logarithmic. */
  isLogarithmic?: boolean
}

const WIDTH_PX = 560
const HEIGHT_PX = 300
const LEFT_PX = 60
const TOP_PX = 40
const BELOW_PX = 50
/** Room for the names, to the right of the lines. */
const NAMES_PX = 190
const NAME_PX = 14
const STEPS = 4
const COLORS = ['#3b6fc4', '#c4643b', '#3b8f5a', '#8a4fb5', '#a08a1f', '#c43b7c', '#3b9fa8', '#666', '#7a4a2b', '#222']

/** Plots lines over a y axis that starts at 0. */
export function plotLines(lines: Line[], axes: Axes, title: string): string {
  const all = lines.flatMap(({ points }) => points)
  const place = axes.isLogarithmic ? Math.log : (value: number) => value
  const [first, last] = [Math.min, Math.max].map((end) => end(...all.map(({ x }) => place(x)))) as [number, number]
  const top = roundUp(Math.max(...all.map(({ y }) => y)))
  const x = (value: number) => LEFT_PX + ((place(value) - first) / (last - first || 1)) * WIDTH_PX
  const y = (value: number) => TOP_PX + (1 - value / top) * HEIGHT_PX
  const [width, height] = [LEFT_PX + WIDTH_PX + NAMES_PX, TOP_PX + HEIGHT_PX + BELOW_PX]
  const steps = Array.from({ length: STEPS + 1 }, (_, at) => (top * at) / STEPS)
  const ends = spreadLabels(lines.map(({ points }) => y(points.at(-1)!.y) + 4))
  return svgDocument(title, { width, height, titleX: LEFT_PX }, [
    `<text x="${LEFT_PX}" y="34">${axes.y}</text>`,
    ...steps.map(
      (step) =>
        `<line x1="${LEFT_PX}" x2="${LEFT_PX + WIDTH_PX}" y1="${y(step)}" y2="${y(step)}" stroke="#ddd"/><text x="${LEFT_PX - 6}" y="${y(step) + 4}" text-anchor="end">${step}</text>`,
    ),
    ...axes.marks.map(
      (mark) => `<text x="${x(mark.x)}" y="${height - BELOW_PX + 18}" text-anchor="middle">${mark.label}</text>`,
    ),
    `<text x="${LEFT_PX + WIDTH_PX / 2}" y="${height - 10}" text-anchor="middle">${axes.x}</text>`,
    ...lines.map(({ name, points }, at) => {
      const color = COLORS[at % COLORS.length]
      const through = points.map((point) => `${x(point.x).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ')
      return `<polyline points="${through}" fill="none" stroke="${color}" stroke-width="1.5"/><text x="${LEFT_PX + WIDTH_PX + 6}" y="${ends[at]}" fill="${color}">${name}</text>`
    }),
  ])
}

/** Rounds up to 1, 2, 4, 6, or 8 times a power of ten, which divide well into quarters. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1))
  return [1, 2, 4, 6, 8, 10].map((times) => times * power).find((top) => top >= value)!
}

/** Moves overlapping labels apart. */
function spreadLabels(heights: number[]): number[] {
  const moved = [...heights]
  let above = -Infinity
  for (const at of [...heights.keys()].sort((one, other) => heights[one]! - heights[other]!)) {
    above = Math.max(heights[at]!, above + NAME_PX)
    moved[at] = above
  }
  return moved
}
