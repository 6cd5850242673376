import { gzipSync } from 'node:zlib'
import { seededRandom, type SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Request } from '../load/http-client.ts'
import { drawOdd, drawUsual, emailOf, externalIdOf, PEOPLE, toJson } from './draw-values.ts'

/** A call of a recording. Its path and body may name employees by the calls that create them (`{emp 12 0}`). */
export interface DrawnCall extends Omit<Request, 'body'> {
  body: string | null
  isZipped?: boolean
}

/** The id of an employee whom an earlier call creates, until the call is made. */
export const REFERENCE = /\{emp (\d+) (\d+)\}/g

const JSON_TYPE = { 'content-type': 'application/json' }
const ALWAYS = ['job_title', 'department', 'phone', 'start_date', 'custom_attributes']
const SOMETIMES = [
  'division',
  'location',
  'employee_number',
  'termination_date',
  'status',
  'manager_id',
  'directory_external_id',
]
const RARELY = ['manager_email', 'manager_external_id']
const ATTRIBUTES = ['first_name', 'last_name', 'email', 'external_id', 'user_name', ...ALWAYS, ...SOMETIMES, ...RARELY]
const UNKNOWN_NAMES = [
  'firstName',
  'salary',
  '__proto__',
  'constructor',
  '',
  'e\u0301',
  'version',
  'created_at',
  'x'.repeat(200),
]
const SWITCHES = ['all_or_none=false', 'link_by_email=true', 'clear_end_dates=true']
const CONDITIONS = ['"1"', '"2"', '"3"', '*', '"1", "2"', 'W/"1"', '"x"', '1', '"-1"', '']
const OTHER_TYPES = [
  ...['application/json; charset=utf-8', 'application/merge-patch+json', 'text/plain', 'application/xml', 'json'],
  ...[
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'APPLICATION/JSON',
  ],
]
const BROKEN = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '"text"',
    'null',
    '12',
    'true',
    '{}',
    '[]',
    '[[]]',
    '[null]',
    '\ufeff{}',
  ],
  ...[
    '{"employees":{}}',
    '{"employees":[]}',
    '{"employees":null}',
    '{"employees":[1]}',
    '{"employees":[],"employees":[]}',
  ],
  ...[
    "{'a':1}",
    '{"a":01}',
    '{"a":1e}',
    '{"a":"\\x"}',
    '{"a":"\u0001"}',
    '{"a":NaN}',
    '{"a":1} x',
    '[{"first_name":"A"}',
  ],
  ...['{"first_name":"A","first_name":"B"}', '{"employees":[{}],"more":1}', '['.repeat(3_000), '{"\\u0000":1}'],
]
const PATHS = [
  '/v1/employee',
  '/v1/employees/',
  '/v1/employees/x',
  '/v1/employees?x=1',
  '/v1/employees?validate_only=yes',
]
/** How often each size of a bulk call is drawn. */
const SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 25, 40, 60, 200]
/** Repeated calls are among so many of the last. */
const REMEMBERED = 30

type Members = [name: string, json: string][]

/** What a company's calls have drawn so far. */
interface Drawn {
  random: SeededRandom
  isKnown(word: string): boolean
  /** References to employees who are probably created. */
  made: string[]
  /** The people of upserts. */
  upserted: Set<number>
  calls: DrawnCall[]
  /** Whether records name managers. Some of these managers don't exist. */
  withManagers: boolean
}

/** Draws the calls of a company, in order. What isn't known to the older version is left out. */
export function drawCalls(seed: number, count: number, isKnown: (word: string) => boolean): DrawnCall[] {
  const drawn: Drawn = {
    random: seededRandom(seed),
    isKnown,
    made: [],
    upserted: new Set(),
    calls: [],
    withManagers: true,
  }
  while (drawn.calls.length < count) drawn.calls.push(addHeaders(drawn, drawCall(drawn)))
  return drawn.calls
}

function drawCall(drawn: Drawn): DrawnCall {
  const { random, calls } = drawn
  const dice = random.below(100)
  drawn.withManagers = true
  if (dice < 16) return drawCreation(drawn)
  if (dice < 44) return drawPatch(drawn)
  if (dice < 56) return drawBulk(drawn, 'PUT')
  if (dice < 65) return drawBulk(drawn, 'PATCH')
  if (dice < 70) return drawBulk(drawn, 'POST')
  if (dice < 84 && calls.length > 0) return repeat(drawn)
  if (dice < 86) return { method: 'GET', path: '/v1/auth/verify', headers: {}, body: null }
  if (dice < 92) return { ...drawPatch(drawn), method: 'GET', body: null }
  if (dice < 97) return { ...drawPatch(drawn), ...spoil(drawn), body: random.pick(BROKEN) }
  return { ...drawCreation(drawn), path: random.pick(PATHS), method: random.pick(['POST', 'PATCH', 'PUT']) }
}

function spoil({ random }: Drawn): Partial<DrawnCall> {
  if (random.chance(0.3)) return {}
  return { path: '/v1/employees', method: random.pick(['POST', 'PATCH', 'PUT']) }
}

/** Adds what calls have beside their records. */
function addHeaders({ random, calls }: Drawn, call: DrawnCall): DrawnCall {
  const headers: Record<string, string> = { ...(call.body === null ? {} : JSON_TYPE), ...call.headers }
  const maybe = (chance: number, name: string, draw: () => string) => {
    if (random.chance(chance) && headers[name] === undefined) headers[name] = draw()
  }
  maybe(0.3, 'x-request-id', () => (random.chance(0.9) ? `r-${calls.length}` : 'not an id'))
  maybe(0.2, 'idempotency-key', () => (random.chance(0.95) ? `i-${calls.length}` : random.pick(['', 'two words'])))
  maybe(call.path.includes('{') ? 0.15 : 0.01, 'if-match', () => random.pick(CONDITIONS))
  maybe(call.method === 'GET' ? 0.3 : 0.01, 'if-none-match', () => random.pick(CONDITIONS))
  if (call.body !== null && random.chance(0.02)) headers['content-type'] = random.pick(OTHER_TYPES)
  if (random.chance(0.005)) headers['x-api-key'] = random.pick(['', 'el_live_wrong', 'x'])
  if (call.body === null || !random.chance(0.005)) return { ...call, headers }
  return { ...call, headers: { ...headers, 'content-encoding': 'gzip' }, isZipped: true }
}

/** Repeats one of the last calls: unchanged, with another idempotency key, or with the same key for another call. */
function repeat(drawn: Drawn): DrawnCall {
  const { random, calls } = drawn
  const earlier = random.pick(calls.slice(-REMEMBERED))
  const dice = random.below(10)
  if (dice < 3 || earlier.body === null) return earlier
  const { 'idempotency-key': key, ...others } = earlier.headers
  if (dice < 8 || key === undefined) return { ...earlier, headers: others }
  return { ...drawCreation(drawn), headers: { 'idempotency-key': key } }
}

function drawCreation(drawn: Drawn): DrawnCall {
  const { random, calls } = drawn
  const isOdd = random.chance(0.3)
  const record = drawNew(drawn, 0, isOdd)
  if (!isOdd) drawn.made.push(`{emp ${calls.length} 0}`)
  return { method: 'POST', path: `/v1/employees${drawQuery(drawn, false)}`, headers: {}, body: toText(record) }
}

function drawPatch(drawn: Drawn): DrawnCall {
  const { random, made } = drawn
  const id =
    made.length === 0 || random.chance(0.03) ? random.pick(['emp_1', `emp_${'0'.repeat(26)}`]) : random.pick(made)
  const body = toText(drawChanges(drawn, random.chance(0.3), 0.15))
  return { method: 'PATCH', path: `/v1/employees/${id}${drawQuery(drawn, false)}`, headers: {}, body }
}

function drawBulk(drawn: Drawn, method: 'POST' | 'PUT' | 'PATCH'): DrawnCall {
  const { random, calls, made, upserted } = drawn
  const oddShare = random.chance(0.35) ? 0.2 : 0
  const size = random.pick(SIZES)
  drawn.withManagers = size <= 10 && random.chance(0.3)
  const isOdd = () => random.chance(oddShare)
  let records: Members[]
  if (method === 'POST') {
    records = Array.from({ length: size }, (_, at) => drawNew(drawn, at, isOdd()))
    // Few of them, so that a call that is refused takes few of the others with it.
    if (oddShare === 0) for (let at = 0; at < size; at += 10) made.push(`{emp ${calls.length} ${at}}`)
  } else if (method === 'PUT') {
    const people = random.sample([...Array(PEOPLE).keys()], size)
    records = people.map((number) => drawUpsert(drawn, number, isOdd()))
    if (oddShare === 0) for (const number of people) upserted.add(number)
  } else {
    const keys = [
      ...random.sample(made, Math.min(size, 3)).map((id) => ['id', toJson(id)] as const),
      ...random.sample([...upserted], size).map((at) => ['external_id', toJson(externalIdOf(at))] as const),
    ]
    records = keys.slice(0, size).map(([name, json]) => [[name, json], ...drawChanges(drawn, isOdd(), 0.1)])
  }
  if (records.length > 0 && random.chance(oddShare / 2)) records.push(random.pick(records))
  const list = `[${records.map(toText).join(random.chance(0.9) ? ',' : ' ,\n ')}]`
  const body = random.chance(0.8) ? `{"employees":${list}}` : list
  return { method, path: `/v1/employees${drawQuery(drawn, true)}`, headers: {}, body }
}

function drawQuery({ random, isKnown }: Drawn, isBulk: boolean): string {
  if (random.chance(0.03)) return '?validate_only=true'
  const known = SWITCHES.filter((text) => isKnown(text.split('=')[0]!))
  return isBulk && known.length > 0 && random.chance(0.3) ? `?${random.pick(known)}` : ''
}

/** Somebody new. Odd ones have names that no other call uses, so that they matter to no other call. */
function drawNew(drawn: Drawn, at: number, isOdd: boolean): Members {
  const { random, calls } = drawn
  const number = random.below(PEOPLE)
  const isPooled = !isOdd && random.chance(0.02)
  const fresh = `${calls.length}.${at}`
  const names: Members = [
    ['first_name', drawUsual(random, 'job_title', []).replace('null', '"Ana"')],
    ['last_name', toJson(`Perez ${at}`)],
    ['email', toJson(isPooled ? emailOf(number) : `new.${fresh}@example.com`)],
    ...(isPooled || random.chance(0.5)
      ? ([['external_id', toJson(isPooled ? externalIdOf(number) : `N-${fresh}`)]] as Members)
      : []),
  ]
  return addOdd(drawn, [...names, ...drawAttributes(drawn, 0.6)], isOdd)
}

function drawUpsert(drawn: Drawn, number: number, isOdd: boolean): Members {
  const names: Members = [
    ['external_id', toJson(externalIdOf(number))],
    ['first_name', toJson('Ana')],
    ['last_name', toJson(`Perez ${number}`)],
    ['email', toJson(emailOf(number))],
  ]
  return addOdd(drawn, [...names, ...drawAttributes(drawn, 0.5)], isOdd)
}

function drawChanges(drawn: Drawn, isOdd: boolean, chance: number): Members {
  const { random, calls } = drawn
  const changes = drawAttributes(drawn, chance)
  if (random.chance(0.05)) return addOdd(drawn, [['custom_attributes', '{"grade":null}']], isOdd)
  if (random.chance(0.05)) changes.push(['email', toJson(`changed.${calls.length}.${random.below(1_000)}@example.com`)])
  if (random.chance(0.05)) changes.push(['last_name', toJson(random.pick(['Rey', 'Rey\u0301', 'Lee']))])
  return addOdd(drawn, changes, isOdd)
}

function drawAttributes({ random, made, isKnown, withManagers }: Drawn, chance: number): Members {
  const chanceOf = (name: string) => (ALWAYS.includes(name) ? chance : RARELY.includes(name) ? chance / 50 : chance / 4)
  return [...ALWAYS, ...SOMETIMES, ...RARELY]
    .filter((name) => isKnown(name) && random.chance(chanceOf(name)))
    .filter((name) => withManagers || !name.startsWith('manager'))
    .map((name) => [name, drawUsual(random, name, made)])
}

function addOdd({ random, isKnown }: Drawn, record: Members, isOdd: boolean): Members {
  if (!isOdd) return record
  const dice = random.below(10)
  const name = random.pick(dice < 2 ? UNKNOWN_NAMES : ATTRIBUTES.filter(isKnown))
  const value = drawOdd(random, name)
  if (dice < 3 && record.length > 0) return [...record, [random.pick(record)[0], value]]
  if (dice < 4) return record.filter(([other]) => other !== name)
  return [...record.filter(([other]) => other !== name), [name, value]]
}

function toText(record: Members): string {
  return `{${record.map(([name, json]) => `${toJson(name)}:${json}`).join(',')}}`
}

/** The bytes of a call's body. */
export function toBytes({ body, isZipped }: Pick<DrawnCall, 'body' | 'isZipped'>): Buffer | undefined {
  if (body === null) return undefined
  return isZipped ? gzipSync(body) : Buffer.from(body)
}
