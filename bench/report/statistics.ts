/** The median; for an even number of values, the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The percentile by nearest rank; `share` is from 0 to 1. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

/** The median and the range of repeated measurements. */
export interface Spread {
  median: number
  min: number
  max: number
}

export function computeSpread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Fits a line by least squares. Returns its slope and the standard error of the slope. Throws below three points. */
export function fitSlope(points: readonly { x: number; y: number }[]): { slope: number; standardError: number } {
  const count = points.length
  if (count < 3) throw new Error('a slope with its error needs at least three points')
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / count
  const squaresX = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / squaresX
  const residuals = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  return { slope, standardError: Math.sqrt(residuals / (count - 2) / squaresX) }
}
