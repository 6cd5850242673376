/* Differences of two texts, which are usually JSON, each with a kind that says it without what is particular to it. */

type Found = Omit<Difference, 'place'>
type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** A difference of two texts. */
export interface Difference {
  /** Where it is, such as `answer`. */
  place: string
  /** The same for all differences that are likely to have the same cause. */
  kind: string
  before: unknown
  after: unknown
}

/** Finds the differences of two texts. Texts that are not equal have one at least. */
export function findDifferences(place: string, before: string, after: string): Difference[] {
  if (before === after) return []
  const [one, other] = [readJson(before), readJson(after)]
  if (one === undefined || other === undefined) return [{ place, kind: 'another text', before, after }]
  const found = [...compare('', one, other)]
  if (found.length === 0) return [{ place, kind: 'the same JSON in other bytes', before, after }]
  return found.map((difference) => ({ place, ...difference }))
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function* compare(path: string, before: Json | undefined, after: Json | undefined): Generator<Found> {
  if (Object.is(before, after)) return
  if (Array.isArray(before) && Array.isArray(after)) yield* compareLists(path, before, after)
  else if (isObject(before) && isObject(after)) yield* compareObjects(path, before, after)
  else yield { kind: `${nameOf(path)}: ${show(path, before)} → ${show(path, after)}`, before, after }
}

function* compareObjects(path: string, before: Record<string, Json>, after: Record<string, Json>) {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    yield* compare(`${path}/${name}`, own(before, name), own(after, name))
  const [one, other] = [namesIn(before, after), namesIn(after, before)]
  if (one !== other) yield { kind: `${nameOf(path)}: members in another order`, before: one, after: other }
}

/** Errors are compared by their fields; other lists by place. */
function* compareLists(path: string, before: Json[], after: Json[]): Generator<Found> {
  if (path.endsWith('errors')) return yield* compareErrors(path, before, after)
  if (before.length !== after.length) yield { kind: `${nameOf(path)}: more or fewer items`, before, after }
  else for (const [at, item] of before.entries()) yield* compare(`${path}/*`, item, after[at])
}

function* compareErrors(path: string, before: Json[], after: Json[]): Generator<Found> {
  const [one, other] = [before, after].map((list) => Map.groupBy(list, errorPlace))
  for (const place of new Set([...one!.keys(), ...other!.keys()])) {
    const [was, is] = [one!.get(place) ?? [], other!.get(place) ?? []]
    if (was.length === is.length) for (const [at, error] of was.entries()) yield* compare(path, error, is[at])
    else yield { kind: `errors: ${tellErrors(was)} → ${tellErrors(is)}`, before: was, after: is }
  }
  const [places, others] = [before, after].map((list) => [...new Set(list.map(errorPlace))])
  const common = (list: string[], those: string[]) => list.filter((place) => those.includes(place)).join(', ')
  if (common(places!, others!) !== common(others!, places!)) yield { kind: `errors: in another order`, before, after }
}

function errorPlace(error: Json): string {
  return isObject(error) ? JSON.stringify([error['index'], error['pointer'] ?? error['field']]) : ''
}

export function tellErrors(errors: readonly Json[]): string {
  const told = errors.map((error) =>
    isObject(error) ? `${show('code', error['code'])}: ${show('message', error['message'])}` : '',
  )
  return [...new Set(told)].join('; ') || 'none'
}

/** Members whose values say what kind of thing something is. */
const TELLING = /(?:^|\/)(?:code|message|detail|title|type|result|kind|status|name|field|operation|notes|\*)$/

function show(path: string, value: Json | undefined): string {
  if (value === undefined) return 'absent'
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? `${Math.min(value.length, 1)}+ items` : 'object'
  if (typeof value !== 'string') return typeof value === 'number' ? 'number' : String(value)
  return TELLING.test(path) ? generalize(value) : 'text'
}

/** Leaves out of a message what is particular to a call. */
export function generalize(text: string): string {
  return JSON.stringify(
    text
      .replace(/<[a-z]+ [^>]*>/g, '<…>')
      .replace(/\d+/g, 'n')
      .slice(0, 160),
  )
}

/** The last name in a path, whatever the place in a list. */
function nameOf(path: string): string {
  return path.replace(/\/\*$/, '').split('/').at(-1) || 'the whole'
}

function own(object: Record<string, Json>, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function namesIn(one: Record<string, Json>, other: Record<string, Json>): string {
  return Object.keys(one)
    .filter((name) => Object.hasOwn(other, name))
    .join(', ')
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
