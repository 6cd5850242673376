import type { ErrorObject } from 'ajv'

type Query = Readonly<Record<string, unknown>>

/** What a query parameter is called elsewhere, without capitals and signs. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  cursor: ['page', 'pagetoken', 'nextcursor', 'next', 'offset', 'skip', 'after', 'startingafter'],
  after: ['cursor', 'since', 'position', 'offset', 'startingafter'],
  limit: ['pagesize', 'perpage', 'size', 'count', 'max', 'maxresults', 'take', 'top'],
  q: ['query', 'search', 'filter', 'text'],
  order: ['sort', 'orderby', 'sortby', 'ordering'],
  updated_since: ['since', 'modifiedsince', 'updatedafter', 'modifiedafter', 'changedsince'],
  from: ['since', 'start', 'startdate', 'begin'],
  to: ['until', 'end', 'enddate', 'before'],
}

/** Reads booleans as some languages write them, such as `True`. */
export function readBooleans(query: Record<string, unknown>, properties: Query) {
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string' || (properties[name] as { type?: unknown } | undefined)?.type !== 'boolean') continue
    if (/^(?:true|false)$/i.test(value)) query[name] = value.toLowerCase()
  }
}

/**
 * Says what is wrong with a query, where that isn't only about the value of a parameter; null otherwise. What a client
 * invented is named only if it resembles a parameter: else it may be anything, also somebody's name.
 */
export function explainQueryFault(
  { keyword, instancePath, params }: ErrorObject,
  query: Query,
  known: readonly KnownName[],
): string | null {
  if (keyword === 'additionalProperties') {
    const sent = String(params['additionalProperty'])
    const near = findNear(sent, known)
    return near === undefined
      ? `A query parameter does not exist; there are ${known.map(({ name }) => name).join(', ') || 'none'}`
      : `The query parameter ${sent} does not exist; there is ${near}`
  }
  const name = instancePath.slice(1)
  const value = query[name]
  if (Array.isArray(value)) return `The query parameter ${name} appears more than once`
  if (keyword === 'type' && params['type'] === 'boolean') return `The query parameter ${name} must be true or false`
  const isTime = keyword === 'format' && params['format'] === 'date-time'
  return isTime && /^\S+ [\d:]+$/.test(String(value))
    ? `The query parameter ${name} contains a blank: write %2B for the plus sign of a zone, such as ` +
        '2026-01-31T06:00:00%2B01:00'
    : null
}

/** Finds the name that is meant by one that does not exist, if it resembles one. */
export function findNear(sent: string, known: readonly KnownName[]): string | undefined {
  const plain = plainOf(sent)
  const near =
    known.find((one) => one.plain === plain) ??
    known.find(({ name }) => ALIASES[name]?.includes(plain)) ??
    known.find((one) => one.name.length > 3 && isOneEditAway(plain, one.plain))
  return near?.name
}

/** A name of a schema, as it is and in the form that names are compared in. */
interface KnownName {
  name: string
  plain: string
}

/** Prepares the names of a schema for `findNear`. */
export function listKnown(properties: object): KnownName[] {
  return Object.keys(properties).map((name) => ({ name, plain: plainOf(name) }))
}

/** Without what the `&` of HTML leaves in front of a name. */
const plainOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/^amp;/, '')
    .replaceAll(/[^a-z]/g, '')

/** Whether two names differ by one letter that is missing, added, or another one. */
function isOneEditAway(one: string, other: string) {
  if (Math.abs(one.length - other.length) > 1) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [ofOne, ofOther] = [one.slice(at + 1), other.slice(at + 1)]
  return ofOne === ofOther || ofOne === other.slice(at) || one.slice(at) === ofOther
}
