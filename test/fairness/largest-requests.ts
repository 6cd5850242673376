import type { RegisteredRoute } from '../../src/http/openapi/build-document.ts'
import type { FuzzedRoute } from '../fuzz/fuzzed-routes.ts'
import type { ReadyRequest } from '../support/http/distant-client.ts'

/* The largest requests that each route allows, and hostile ones of that size. */

/** What the requests are about. */
export interface Ground {
  address: string
  headersOf(route: FuzzedRoute): Record<string, string>
  /** The values of path parameters, by name: each is tried. */
  params: Record<string, string[]>
  /** The values of query parameters, by name. */
  query: Record<string, string[]>
}

export interface NamedRequest extends ReadyRequest {
  name: string
}

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  maximum?: number
  maxLength?: number
  type?: string
  anyOf?: Schema[]
  const?: string
}

const LONG = 254
/** The bytes of a query with as many parameters as a URL has room for. */
const MANY_PARAMETERS = 12_000

/** The requests to a route without a body, or with at most so many kinds of bodies as large as it allows. */
export function requestsTo(route: FuzzedRoute, ground: Ground, maxBodies: number): NamedRequest[] {
  const { method, url } = route
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const bodies = hasBody ? largestBodies(route).slice(0, maxBodies) : [['', null] as const]
  const queries = hasBody ? [''] : queriesOf(route.schema, ground)
  return pathsOf(url, ground).flatMap((path) =>
    queries.flatMap((query) =>
      bodies.map(([kind, body]) => ({
        name: `${method} ${path}${query.slice(0, LONG)} ${kind}`,
        method,
        url: ground.address + path + query,
        headers: { ...ground.headersOf(route), ...(body === null ? {} : { 'content-type': typeOf(route) }) },
        body,
        isEndless: url.endsWith('/stream'),
      })),
    ),
  )
}

const typeOf = ({ kind }: FuzzedRoute) => (kind === 'page' ? 'application/x-www-form-urlencoded' : 'application/json')

function pathsOf(url: string, { params }: Ground): string[] {
  const [, name] = /:(\w+)|(\*)/.exec(url) ?? []
  if (name === undefined) return [url.replace('*', 'x')]
  const section = url.split('/').at(url.split('/').findIndex((part) => part.includes(`:${name}`)) - 1)
  const values = params[name === 'id' ? `${section} id` : name] ?? ['x']
  return values.flatMap((value) => pathsOf(url.replace(`:${name}`, value), { params } as Ground))
}

/** No parameter, many that don't exist, each one alone with the largest limit, and all texts at their longest. */
function queriesOf(schema: RegisteredRoute['schema'], { query }: Ground): string[] {
  const properties = Object.entries((schema.querystring as Schema | undefined)?.properties ?? {})
  const valuesOf = (name: string, { anyOf, maximum, maxLength, type, const: only }: Schema): string[] => {
    if (query[name]) return query[name]
    if (only !== undefined) return [only]
    if (anyOf) return anyOf.flatMap((choice) => valuesOf(name, choice))
    return type === 'integer' ? [String(maximum ?? Number.MAX_SAFE_INTEGER)] : ['x'.repeat(maxLength ?? LONG)]
  }
  const limit = properties.find(([name]) => name === 'limit')
  const limited = limit ? `limit=${valuesOf(...limit)[0]}` : ''
  const alone = properties.flatMap(([name, one]) =>
    name === 'limit' ? [] : valuesOf(name, one).map((value) => `${name}=${encodeURIComponent(value)}`),
  )
  const many = repeat(MANY_PARAMETERS, (at) => `${at.toString(36)}=&`)
  const texts = ['', limited, many, ...alone.map((one) => [one, limited].filter(Boolean).join('&'))]
  // Without a limit, the first two are the same.
  return [...new Set(texts)].map((text) => (text === '' ? '' : `?${text}`))
}

/** The bytes of the largest bodies here. Larger ones are read in pieces, which `hostileBodies` tries. */
const MAX_BYTES = 4_194_304

/** The bodies that may be as large as the route allows: all of what it reads, and of what its schema looks at. */
function largestBodies({ kind, schema, bodyLimit }: FuzzedRoute): [kind: string, body: Uint8Array][] {
  const bytes = Math.min(bodyLimit, MAX_BYTES) - 500
  if (kind === 'page')
    return [
      ['of many fields', Buffer.from(repeat(bytes - 10, (at) => `${at.toString(36)}=1&`))],
      ['of a long field', Buffer.from(`name=${'%41'.repeat(bytes / 3 - 5)}`)],
    ]
  // Bodies are parsed alike for all routes, so that some are enough for each.
  const some = hostileBodies(bytes - 1_000, bytes).filter(([kind]) =>
    /many members$|long text$|after many values|numbers$/.test(kind),
  )
  return [
    ...some.map(([kind, make]): [string, Uint8Array] => [kind, make()]),
    ...judgedValues((schema.body ?? {}) as Schema, bytes).map(([kind, json]): [string, Uint8Array] => [
      `of ${kind}`,
      Buffer.from(json),
    ]),
  ]
}

/** Values of about so many bytes of JSON, in each place of a schema where one has members or items. */
function judgedValues(schema: Schema, bytes: number): [kind: string, json: string][] {
  const { properties = {}, items, anyOf = [], type } = schema
  const inMembers = Object.entries(properties).flatMap(([name, of]) =>
    judgedValues(of, bytes - name.length - 5).map(([kind, json]) => [`${kind} in ${name}`, `{"${name}":${json}}`]),
  )
  const inItems = items ? judgedValues(items, bytes - 2).map(([kind, json]) => [`${kind} in a list`, `[${json}]`]) : []
  const own = [
    // Different ones, which are compared with each other where none may occur twice.
    ...(items ? [['many items', `[${repeat(bytes - 20, (at) => `${at},`)}0]`]] : []),
    ...(type === 'object' ? [['many members', `{${members(bytes - 20)}"z":1}`]] : []),
  ]
  return [
    ...anyOf.flatMap((one) => judgedValues(one, bytes)),
    ...([...own, ...inMembers, ...inItems] as [string, string][]),
  ]
}

function repeat(bytes: number, make: (at: number) => string, times = Infinity): string {
  const parts: string[] = []
  for (let [at, length] = [0, 0]; length < bytes && at < times; at += 1) {
    parts.push(make(at))
    length += parts.at(-1)!.length
  }
  return parts.join('')
}

const members = (bytes: number, most = Infinity) => repeat(bytes, (at) => `"${at.toString(36)}":1,`, most)

/**
 * Makes bodies of about so many bytes, each of which costs something else. `values` is about the number of values that a
 * body may have.
 */
export function hostileBodies(bytes: number, values: number): [kind: string, make: () => Uint8Array][] {
  const unit = bytes / 8
  const bodies = {
    'of one record with many members': () => `{${members(bytes)}"email":"a@example.com"}`,
    'of one record with many members, one twice': () => `{"email":1,${members(bytes)}"email":2}`,
    'of one record with many members, one with an escape': () => `{"\\u0065mail":1,${members(bytes)}"z":2}`,
    'of one record with many custom attributes': () => `{"custom_attributes":{${members(bytes)}"z":1}}`,
    'of one record with as many members as a body': () => `{${members(bytes, values)}"email":"a@example.com"}`,
    'of one record with as many members as a body, one twice': () => `{"email":1,${members(bytes, values)}"email":2}`,
    'of one record with as many members as a body, one with an escape': () =>
      `{"\\u0065mail":1,${members(bytes, values)}"z":2}`,
    'that ends after as many members as a body may have': () => `{"email":1,${members(bytes, values)}`,
    'of records with many members': () => `[${repeat(bytes, () => `{${members(6_000)}"z":1},`)}{}]`,
    'of records that have a member twice': () => `[${repeat(bytes, () => '{"a":1,"b":2},')}{"a":1,"a":2}]`,
    'of one record with a long list': () => `{"email":[${'0,'.repeat(bytes / 2)}0]}`,
    'of tiny records': () => `[${'{},'.repeat(bytes / 3)}{}]`,
    'of numbers': () => `[${'0,'.repeat(bytes / 2)}0]`,
    'of long numbers': () => `[${'10000000000000000000,'.repeat(bytes / 21)}1]`,
    'of one long number': () => `{"a":${'9'.repeat(bytes)}}`,
    'of brackets': () => '['.repeat(bytes),
    'of closing brackets': () => ']'.repeat(bytes),
    'of blanks': () => `{"email":1}${' '.repeat(bytes)}`,
    'of a long text': () => `{"email":"${'x'.repeat(bytes)}"}`,
    'of a long text of three bytes each': () => `{"email":"${'\u20ac'.repeat(bytes / 3)}"}`,
    'of a long text of escapes': () => `{"email":"${'\\u0041'.repeat(bytes / 6)}"}`,
    'of a long text of escapes, the last one lone': () => `[{"email":"${'\\u0041'.repeat(bytes / 6)}\\ud800"}]`,
    'of a long text of quotes': () => `{"\\u0065mail":"${'\\"'.repeat(bytes / 2)}"}`,
    'of long names': () => `{${Array.from({ length: 8 }, (_, at) => `"${'n'.repeat(unit - 10)}${at}":1`).join(',')}}`,
    'that ends in a text': () => `{"email":"${'x'.repeat(bytes)}`,
    'that ends in a text of escapes': () => `{"email":"${'\\n'.repeat(bytes / 2)}`,
    'that ends after many values': () => `{"email":[${'0,'.repeat(bytes / 2)}0]`,
    'that ends after many lines': () => `{"email":1,${'\n'.repeat(bytes)}`,
    'that is no JSON after many records': () => `[${'{"email":"a"},'.repeat(bytes / 14)}{"email":x}]`,
  }
  // Records that are read, and take long to read, to keep, to hide secrets in, or to say what was meant.
  const record = (members: string) => `{${members}"email":"a@example.com"}`
  const marks = `a${'\u0315\u0300\u0327\u0316\u0301\u0321'.repeat(4)}`
  const flags = `\u{1f3f4}${'\u{e0067}'.repeat(28)}`
  const megabyte = (make: (at: number) => string) =>
    `[${repeat(bytes / 3, () => `${record(`"custom_attributes":{${repeat(500_000, make)}"z":1},`)},`)}{}]`
  const dear = {
    'of fields named by words of words': () =>
      `[${repeat(200_000, (at) => `${record(repeat(1_200, (name) => `"${'姓氏'.repeat(19)}${String.fromCharCode(0x430 + name)}":${at},`))},`)}{}]`,
    'of fields with long names': () => `[${repeat(bytes, () => `${record(`"${'-'.repeat(500_000)}":1,`)},`)}{}]`,
    'of custom attributes of flags': () => megabyte((at) => `"${at}":"${flags.repeat(33)}",`),
    'of custom attributes with names of marks': () => megabyte((at) => `"${at}${marks.repeat(18)}":null,`),
    'of custom attributes of marks': () => megabyte((at) => `"${at}":"${marks.repeat(310)}",`),
    'of secrets': () => `[${repeat(bytes, () => `${record(`"x":"${'pw:1,'.repeat(13_000)}",`)},`)}{}]`,
  }
  const invalid = () => Buffer.concat([Buffer.from(`{"email":"${'\ufffd'.repeat(bytes / 3)}`), Buffer.from([0xff])])
  return [
    ...Object.entries(bodies).map(([kind, make]): [string, () => Uint8Array] => [
      kind,
      () => Buffer.from(make()).subarray(0, bytes + 2_000),
    ]),
    ...Object.entries(dear).map(([kind, make]): [string, () => Uint8Array] => [kind, () => Buffer.from(make())]),
    ['that is not UTF-8 at its end', invalid],
  ]
}

/** Records that are valid, as large as fit, their changes, and those of which half are refused. */
export function fullBodies(records: number, bytes: number) {
  const perAttribute = Math.min(1_000, Math.max(1, Math.floor((bytes / records - 320) / 32) - 12))
  const record = (at: number, fill: string, more = '') => {
    const custom = Array.from({ length: 32 }, (_, key) => `"k${key}":"${fill.repeat(perAttribute)}"`).join(',')
    return `{"first_name":"Ana","last_name":"Perez","email":"ana.${at}@example.com","external_id":"E-${at}","custom_attributes":{${custom}}${more}}`
  }
  const half = Math.floor(records / 2)
  const reportsTo = (at: number, step: number) => (at < half ? `,"manager_external_id":"E-${at + step}"` : '')
  const list = (make: (at: number) => string) =>
    Buffer.from(`{"employees":[${Array.from({ length: records }, (_, at) => make(at)).join(',')}]}`)
  return {
    creation: () => list((at) => record(at, 'x')),
    otherCreation: () => list((at) => record(records + at, 'x')),
    change: () => list((at) => record(at, 'y')),
    refused: () => list((at) => record(at, 'z', ',"phone":1')),
    refusedOften: () => list(() => `{${members(200)}"custom_attributes":{"a":null,"b":null}}`),
    /** Addresses that normalizing makes 18 times as long, and others whose marks it has to sort. */
    longNames: () => list(() => `{"email":"${'\ufdfa'.repeat(2_000)}"}`),
    namesOfMarks: () => list((at) => `{"email":"${at}${'\u0301\u0316'.repeat(1_000)}"}`),
    /** Values that could fit once they are normalized, as many as records of a megabyte have. */
    attributesOfMarks: () => {
      const value = `a${'\u0315\u0300\u0327'.repeat(2_660)}`
      const custom = Array.from({ length: 60 }, (_, at) => `"k${at}":"${value}"`).join(',')
      return Buffer.from(
        `[${Array.from({ length: Math.floor(bytes / 1_000_000) }, () => `{"custom_attributes":{${custom}}}`).join(',')}]`,
      )
    },
    creationHalfWrong: () => list((at) => record(2 * records + at, 'x', at % 2 === 0 ? ',"phone":1' : '')),
    changeHalfWrong: () => list((at) => record(at, 'v', at % 2 === 0 ? ',"phone":1' : '')),
    /** One is wrong, and half of the others report to it, over one another. */
    creationBelowWrong: () =>
      list((at) => record(3 * records + at, 'x', at === 0 ? ',"phone":1' : reportsTo(at, 3 * records - 1))),
    /** Half of the people report to one another, in a line. */
    line: () => list((at) => record(at, 'u', reportsTo(at, 1))),
    /** The line turned around, but for its end: each record that is refused makes the next one wrong. */
    turnedLine: () => list((at) => record(at, 't', at === 0 ? ',"manager_id":null,"phone":1' : reportsTo(at, -1))),
  }
}
