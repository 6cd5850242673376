import addFormats from 'ajv-formats'
import { type ErrorObject, Ajv } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'

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
function readBooleans(query: Record<string, unknown>, properties: Query) {
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'string' || (properties[name] as { type?: unknown } | undefined)?.type !== 'boolean') continue
    if (/^(?:true|false)$/i.test(value)) query[name] = value.toLowerCase()
  }
}

/**
 * Says what is wrong with a query, where that isn't only about the value of a parameter; null otherwise. What a client
 * invented is named only if it resembles a parameter: else it may be anything, also somebody's name.
 */
function explainQueryFault({ keyword, instancePath, params }: ErrorObject, query: Query, properties: Query) {
  if (keyword === 'additionalProperties') {
    const sent = String(params['additionalProperty'])
    const near = findNear(sent, Object.keys(properties))
    return near === undefined
      ? `A query parameter does not exist; there are ${Object.keys(properties).join(', ') || 'none'}`
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
function findNear(sent: string, names: readonly string[]) {
  const plain = plainOf(sent)
  return (
    names.find((name) => plainOf(name) === plain) ??
    names.find((name) => ALIASES[name]?.includes(plain)) ??
    names.find((name) => name.length > 3 && isOneEditAway(plain, plainOf(name)))
  )
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

type Validate = ReturnType<FastifySchemaCompiler<object>>

// Do not drop or coerce anything that was sent. Only query strings are coerced, because they consist of texts.
const STRICT = { removeAdditional: false, useDefaults: true, allErrors: true, coerceTypes: false } as const
const queries = addFormats.default(new Ajv({ ...STRICT, coerceTypes: true }))
const others = addFormats.default(new Ajv(STRICT))

/**
 * Compiles the schemas that validate requests, each when its first request arrives: compiling those of all routes takes
 * longer than everything else in the start of the API.
 */
export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let steps: Validate[] | undefined
  const validate: Validate = (value: unknown) => {
    // A coerced query is validated again: Ajv coerces 1e400 to Infinity, without checking it against the limits.
    steps ??= httpPart === 'querystring' ? [queries.compile(schema), others.compile(schema)] : [others.compile(schema)]
    const query = httpPart === 'querystring' ? (value as Record<string, unknown>) : null
    const { properties = {} } = schema as { properties?: Record<string, unknown> }
    if (query) readBooleans(query, properties)
    const failed = steps.find((step) => !step(value))
    validate.errors = failed?.errors ?? null
    for (const error of validate.errors ?? []) {
      if (query) {
        const detail = explainQueryFault(error, query, properties)
        if (detail !== null) error.params = { ...error.params, detail }
      } else if (error.keyword === 'additionalProperties' && error.instancePath === '') {
        const near = findNear(String(error.params['additionalProperty']), Object.keys(properties))
        error.params = { ...error.params, near }
      }
    }
    return failed === undefined
  }
  return validate
}
