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
