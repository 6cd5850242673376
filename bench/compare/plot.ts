import type { Ratio } from './ratios.ts'
import { svgDocument } from '../report/svg-document.ts'

const ROW_PX = 22
const LABEL_PX = 380
const SCALE_PX = 420
const MARGIN_PX = 30

/** Plots ratios, one row each: the median as a bar, the spread of the rounds as a line, the target as a mark. */
export function plotRatios(ratios: Ratio[], title: string): string {
  const largest = Math.max(1, ...ratios.map(({ spread, asked }) => Math.max(spread.max, asked ?? 0)))
  const x = (value: number) => LABEL_PX + (value / largest) * SCALE_PX
  const height = ratios.length * ROW_PX + 2 * MARGIN_PX
  const width = LABEL_PX + SCALE_PX + MARGIN_PX
  const rows = ratios.map((ratio, at) => rowOf(ratio, MARGIN_PX + at * ROW_PX, x))
  const equal = `<line x1="${x(1)}" x2="${x(1)}" y1="${MARGIN_PX}" y2="${height - MARGIN_PX}" stroke="#555"/>`
  return svgDocument(title, { width, height, titleX: LABEL_PX }, [
    ...rows,
    equal,
    `<text x="${x(1)}" y="${height - 10}" text-anchor="middle">1 ×: as fast as the peer</text>`,
  ])
}

function rowOf(
  { work, companies, callers, of, spread, asked }: Ratio,
  top: number,
  x: (value: number) => number,
): string {
  const middle = top + ROW_PX / 2
  const isShort = asked !== null && spread.median < asked
  const name = `${work}, ${companies} × ${callers} callers, ${of} / crud`
  const mark =
    asked === null
      ? ''
      : `<line x1="${x(asked)}" x2="${x(asked)}" y1="${top + 2}" y2="${top + ROW_PX - 2}" stroke="#000" stroke-width="3"/>`
  return [
    `<text x="${LABEL_PX - 8}" y="${middle + 4}" text-anchor="end">${name}</text>`,
    `<rect x="${x(0)}" y="${top + 4}" width="${x(spread.median) - x(0)}" height="${ROW_PX - 8}" fill="${isShort ? '#d98c5f' : '#5f8fd9'}"/>`,
    `<line x1="${x(spread.min)}" x2="${x(spread.max)}" y1="${middle}" y2="${middle}" stroke="#222"/>`,
    mark,
    // To the right of the bar, the spread, and the mark.
    `<text x="${x(Math.max(spread.max, asked ?? 0, 1)) + 6}" y="${middle + 4}">${spread.median.toFixed(2)}</text>`,
  ].join('')
}
