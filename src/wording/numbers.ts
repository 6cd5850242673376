/** Numbers from this one on are rounded down to thousands if there are more. */
const ROUNDED_FROM = 10_000
const NUMBER = new Intl.NumberFormat('en-GB')

/** Formats a number with separators between thousands. */
export function formatNumber(count: number): string {
  return NUMBER.format(count)
}

/** Formats a number, or at least how many there are: `1,204`, `50,000+`. */
export function formatAtLeast(count: number, isMore: boolean): string {
  if (!isMore) return formatNumber(count)
  return `${formatNumber(count < ROUNDED_FROM ? count : count - (count % 1_000))}+`
}

/** Formats a number of things: `1 record`, `2,000 records`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a number of people: `1 person`, `2,000 people`. */
export function formatPeople(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? 'person' : 'people'}`
}

/** The verb behind a number of things in the past. */
export function wasOrWere(count: number): string {
  return count === 1 ? 'was' : 'were'
}

/** The verb behind a number of things. */
export function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** Lowercases the first letter of a sentence that continues another one. */
export function decapitalize(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
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
function roundEvenly(number: number) {
  return Math.sign(number) * Math.round(Math.abs(number))
}
