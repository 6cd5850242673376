/* Whether all values of one JSON schema are values of another, for the keywords that the document uses. */

export type Schema = Record<string, unknown>

/** Looks up a `$ref` in its document. */
type Resolve = (schema: Schema) => Schema

interface Side {
  schema: Schema
  resolve: Resolve
}

/** A new field of an answer is an addition, and so is a new code of a problem: clients are told to expect both. */
type Use = 'request' | 'answer'

const UPPER = ['maxLength', 'maximum', 'maxItems', 'maxProperties']
const LOWER = ['minLength', 'minimum', 'minItems', 'minProperties']

/** Lists, one per line, the values of `narrow` that are not values of `wide`. */
export function misfits(narrow: Side, wide: Side, use: Use, place: string): string[] {
  const [n, w] = [narrow.resolve(narrow.schema), wide.resolve(wide.schema)]
  const at = (schema: unknown, side: Side): Side => ({ schema: schema as Schema, resolve: side.resolve })
  const { anyOf, ...rest } = n
  if (anyOf && !w['anyOf'])
    return listOf(anyOf).flatMap((choice) =>
      misfits(at({ ...rest, ...choice }, narrow), { ...wide, schema: w }, use, place),
    )
  const choices = choiceMisfits({ ...narrow, schema: n }, { ...wide, schema: w }, use, place)
  const both = listOf(w['allOf']).flatMap((part, index) => {
    const same = listOf(n['allOf'])[index]
    return same ? misfits(at(same, narrow), at(part, wide), use, place) : [`${place}: a part of the schema`]
  })
  const items = n['items'] && w['items'] ? misfits(at(n['items'], narrow), at(w['items'], wide), use, `${place}[]`) : []
  const [more, mayBeMore] = [n['additionalProperties'], w['additionalProperties']]
  const others =
    isSchema(more) && isSchema(mayBeMore) ? misfits(at(more, narrow), at(mayBeMore, wide), use, `${place}.*`) : []
  return [
    ...valueMisfits(n, w, use, place),
    ...fieldMisfits(at(n, narrow), at(w, wide), use, place),
    ...choices,
    ...both,
    ...items,
    ...others,
  ]
}

/** Each choice of `narrow` must be one of `wide`. Of one that is none, it is told what the choice most like it lacks. */
function choiceMisfits(narrow: Side, wide: Side, use: Use, place: string): string[] {
  const [from, to] = [listOf(narrow.schema['anyOf']), listOf(wide.schema['anyOf'])]
  if (to.length === 0) return []
  const sources = from.length > 0 ? from : [narrow.schema]
  const faultsOf = (source: Schema, target: Schema) =>
    misfits({ ...narrow, schema: source }, { ...wide, schema: target }, use, place)
  const isOther = (faults: string[]) => Number(faults.some((fault) => fault.startsWith(`${place}: type `)))
  return sources.flatMap((source) => {
    const [nearest = []] = to
      .map((target) => faultsOf(source, target))
      .toSorted((a, b) => isOther(a) - isOther(b) || a.length - b.length)
    return nearest
  })
}

function valueMisfits(n: Schema, w: Schema, use: Use, place: string): string[] {
  const faults: string[] = []
  const types = typesOf(w)
  const outside = typesOf(n).filter(
    (type) => !types.includes(type) && !(type === 'integer' && types.includes('number')),
  )
  if (types.length > 0 && (typesOf(n).length === 0 || outside.length > 0))
    faults.push(`${place}: type ${outside.join(', ')}`)
  // Codes, and the sources of calls, which are the names of entries.
  const isOpenList = use === 'answer' && /\.(?:code|name)$/.test(place)
  const [values, mayBe] = [valuesOf(n), valuesOf(w)]
  if (mayBe && !isOpenList && !values?.every((value) => mayBe.includes(value))) faults.push(`${place}: values`)
  for (const name of UPPER) if (name in w && !(Number(n[name]) <= Number(w[name]))) faults.push(`${place}: ${name}`)
  for (const name of LOWER) if (name in w && !(Number(n[name]) >= Number(w[name]))) faults.push(`${place}: ${name}`)
  for (const name of ['pattern', 'format']) if (name in w && n[name] !== w[name]) faults.push(`${place}: ${name}`)
  return faults
}

function fieldMisfits(narrow: Side, wide: Side, use: Use, place: string): string[] {
  const [n, w] = [narrow.schema, wide.schema]
  const [fields, known] = [fieldsOf(n), fieldsOf(w)]
  const required = (w['required'] ?? []) as string[]
  const missing = required.filter((name) => !((n['required'] ?? []) as string[]).includes(name))
  const shared = Object.keys(fields).filter((name) => name in known)
  const unknown = Object.keys(fields).filter((name) => !(name in known) && w['additionalProperties'] === false)
  const gone = use === 'answer' ? Object.keys(known).filter((name) => !(name in fields)) : unknown
  return [
    ...missing.map((name) => `${place}.${name}: required`),
    ...gone.map((name) => `${place}.${name}: gone`),
    ...shared.flatMap((name) =>
      misfits({ ...narrow, schema: fields[name]! }, { ...wide, schema: known[name]! }, use, `${place}.${name}`),
    ),
  ]
}

function fieldsOf(schema: Schema): Record<string, Schema> {
  return (schema['properties'] ?? {}) as Record<string, Schema>
}

function typesOf({ type }: Schema): string[] {
  return type === undefined ? [] : ([type].flat() as string[])
}

function valuesOf(schema: Schema): unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  if (schema['type'] === 'null') return [null]
  return schema['enum'] as unknown[] | undefined
}

function listOf(value: unknown): Schema[] {
  return Array.isArray(value) ? (value as Schema[]) : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}
