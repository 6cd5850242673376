import fc from 'fast-check'
import t, { type Test } from 'tap'
import { CORE, connectProvider, ENTERPRISE } from '../support/scim-client.ts'
import { startDistantClient } from '../support/http/distant-client.ts'
import { watchEventLoop } from '../support/processes/event-loop-watchdog.ts'
import { inputs } from '../support/quick.ts'
import { startService } from '../support/service.ts'

/*
 * Random and hostile requests of identity providers: none takes the event loop for long, and none is answered with a
 * failure of the service.
 */

/** Several times what a request may take, in milliseconds of CPU time, as for the other routes. */
const MAX_WORK_MS = 250
const TRIES = 3
const SEED = 66

const watchdog = watchEventLoop()
t.teardown(() => watchdog.stop())
const service = await startService(t, { BURST_LIMIT: '0' }, { workers: true })
const idp = await connectProvider(service, 'Provider')
const client = startDistantClient(t)
const ids = await Promise.all(
  [1, 2, 3].map(async (at) => (await idp.post({ userName: `user${at}` })).body.id as string),
)

interface Sent {
  method: string
  path: string
  body: string | null
}

const pick = fc.constantFrom
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  pick('', ' ', 'true', 'False', '7', '\u0000', '\ud800', '__proto__', 'ﷺ'.repeat(200), 'a'.repeat(5_000), ids[0]!),
)
const anyName = fc.oneof(
  pick('userName', 'USERNAME', 'name', 'name.givenName', 'emails', 'phoneNumbers', 'active', 'title', 'password', 'id'),
  pick('meta', 'groups', 'addresses', 'nickName', 'constructor', '__proto__', 'externalId', `${ENTERPRISE}:manager`),
  pick(ENTERPRISE, CORE, `${CORE}.title`, 'urn:x:1.0:User:tag', 'emails.value', 'emails[type eq "work"].value'),
  anyText,
)
const anyScalar = fc.oneof(anyText, fc.boolean(), fc.double(), pick(null, 1e308, ids[1]!))
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    anyScalar,
    fc.dictionary(pick('value', 'type', 'primary', '$ref', 'givenName', 'manager', '__proto__'), tie('value')),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}))
const { filter: anyFilter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 5 },
    fc
      .tuple(anyName, pick('eq', 'NE', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'pr', 'xx'), anyScalar)
      .map(([name, operator, value]) => `${name} ${operator} ${operator === 'pr' ? '' : JSON.stringify(value)}`),
    fc.tuple(tie('filter'), pick('and', 'or', 'AND', 'xor'), tie('filter')).map((parts) => `(${parts.join(' ')})`),
    tie('filter').map((one) => `not (${one})`),
    tie('filter').map((one) => `emails[${one}]`),
    anyText,
  ),
}))
const repeated = (one: string, joint: string) =>
  one + (joint + one).repeat(Math.floor((8_000 - one.length) / (one + joint).length))
const anyLongFilter = pick(
  `${'('.repeat(40)}title pr${')'.repeat(40)}`,
  `${'not ('.repeat(40)}title eq "x"${')'.repeat(40)}`,
  `${'('.repeat(7_990)}title pr`,
  repeated('title co "x"', ' or '),
  repeated('emails[type eq "home"]', ' or '),
  repeated('userName eq "user1"', ' or '),
  repeated('not (active eq true)', ' and '),
  `title co "${'ß'.repeat(7_000)}"`,
  `title eq "${'\\\\'.repeat(3_900)}`,
)
const anyOperation = fc.record(
  { op: pick('add', 'Replace', 'remove', 'x'), path: fc.oneof(anyName, anyFilter), value: anyValue },
  { requiredKeys: [] },
)
const many = <Made>(count: number, make: (at: number) => Made) => Array.from({ length: count }, (_, at) => make(at))
/** A patch with as many operations as a body may have whose values are not counted. */
const operations = (operation: (at: number) => unknown) => {
  const count = Math.floor(62_000 / (Buffer.byteLength(JSON.stringify(operation(9_999))) + 1))
  return JSON.stringify({ Operations: many(count, operation) })
}
/** Members, as many as such a body may have. */
const members = (value: unknown) => Object.fromEntries(many(4_500, (at) => [`a${at}`, value]))
/** A list with long values, which is as large as a body may be, and operations on it. */
const onLongValues = (value: string, operation: unknown) =>
  JSON.stringify({
    Operations: [
      { op: 'add', path: 'emails', value: many(50, (at) => ({ type: `t${at}`, value })) },
      ...many(12, () => operation),
    ],
  })
const ofOne = (filter: string) => ({ op: 'add', path: `emails[${filter}].display`, value: 'x' })
const listed = (joint: string, count: number) => many(count, (at) => `value co "q${at}"`).join(joint)
const longPatches = {
  'of one attribute': operations(() => ({ op: 'add', path: 'title', value: 'x' })),
  'of attributes': operations((at) => ({ op: 'add', path: `x${at}`, value: at })),
  'of parts': operations((at) => ({ op: 'add', path: `x.a${at}`, value: at })),
  'without paths': operations(() => ({ op: 'add', value: { title: 'x' } })),
  'of entries': operations((at) => ({ op: 'add', path: `emails[type eq "t${at}"].value`, value: 'x' })),
  'of filters': operations((at) => ofOne(`value eq "${at}"`)),
  'of long filters': operations(() => ofOne(listed(' or ', 100))),
  'of lists': operations((at) => ({ op: 'add', path: 'emails', value: many(50, () => ({ type: `${at}` })) })),
  'of members': JSON.stringify({ Operations: [{ op: 'add', value: members(1) }] }),
  'of members of one attribute': JSON.stringify({ Operations: [{ op: 'add', path: 'x', value: members(1) }] }),
  'of members of a list': JSON.stringify({ Operations: [{ op: 'add', path: 'emails', value: members(1) }] }),
  'of a long name': operations(() => ({ op: 'add', path: 'name.givenName', value: '\ufdfa'.repeat(9_000) })),
  'of managers': JSON.stringify({
    Operations: [{ op: 'add', path: `${ENTERPRISE}:manager`, value: many(7_000, (at) => `m${at}`) }],
  }),
  'of removed values': JSON.stringify({
    Operations: [
      { op: 'add', path: 'emails', value: many(50, (at) => ({ type: `t${at}`, value: at })) },
      { op: 'remove', path: 'emails', value: many(7_000, (at) => `m${at}`) },
    ],
  }),
  'of long values': onLongValues('\ufdfa'.repeat(6_500), ofOne(listed(' or ', 20))),
  'of values of many marks': onLongValues('\u0315\u0300'.repeat(5_000), ofOne(listed(' or ', 20))),
  'of long types': JSON.stringify({
    Operations: many(2, (list) => ({
      op: 'add',
      path: 'emails',
      value: many(50, (at) => ({ type: `${'\ufdfa'.repeat(3_300)}${list}-${at}` })),
    })),
  }),
}
const anyLongPatch = pick(...Object.values(longPatches))
const anyPath = fc.oneof(
  pick(...ids).map((id) => `/Users/${id}`),
  anyText.map((id) => `/Users/${encodeURIComponent(id.toWellFormed())}`),
)
const listOf = (filter: fc.Arbitrary<string>) =>
  fc.tuple(filter, fc.oneof(pick('1', '0', '-1', '1e9', ''), anyText)).map(([text, number]): Sent => {
    const query = [text, number].map((one) => encodeURIComponent(one.toWellFormed()))
    return { method: 'GET', path: `/Users?filter=${query[0]}&startIndex=${query[1]}&count=5`, body: null }
  })
const anyUser = fc
  .tuple(fc.dictionary(anyName, anyValue, { maxKeys: 8 }), fc.uuid())
  .map(([user, userName]) => JSON.stringify({ userName, ...user }))
const anyRequest = fc.oneof(
  { weight: 8, arbitrary: listOf(anyFilter) },
  { weight: 1, arbitrary: listOf(anyLongFilter) },
  { weight: 4, arbitrary: anyUser.map((body): Sent => ({ method: 'POST', path: '/Users', body })) },
  { weight: 4, arbitrary: fc.tuple(anyPath, anyUser).map(([path, body]): Sent => ({ method: 'PUT', path, body })) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(anyPath, fc.array(anyOperation, { maxLength: 5 }))
      .map(([path, Operations]): Sent => ({ method: 'PATCH', path, body: JSON.stringify({ Operations }) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(pick(...ids), anyLongPatch)
      .map(([id, body]): Sent => ({ method: 'PATCH', path: `/Users/${id}`, body })),
  },
  { weight: 2, arbitrary: fc.tuple(anyPath, anyText).map(([path, body]): Sent => ({ method: 'PATCH', path, body })) },
  { weight: 1, arbitrary: anyPath.map((path): Sent => ({ method: 'GET', path, body: null })) },
)

/** Sends a request, again if it took the event loop for long. Returns the least that it took. */
async function measure(t: Test, { method, path, body }: Sent, text: string, statuses: Record<number, number> = {}) {
  let workMs = Infinity
  for (let attempt = 1; attempt <= TRIES && workMs > MAX_WORK_MS; attempt += 1) {
    await client.prepare({
      method,
      url: `${service.address}/scim/v2${path}`,
      headers: {
        authorization: `Bearer ${idp.token}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      body: body === null ? null : Buffer.from(body),
    })
    await watchdog.read()
    const { status, beginning } = await client.send()
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 0 || status >= 500) t.fail(`${text} is answered with ${status}: ${beginning}`)
    workMs = Math.min(workMs, (await watchdog.read()).longestWorkMs)
  }
  if (workMs > MAX_WORK_MS) t.fail(`${text} took the event loop for ${Math.round(workMs)} ms of CPU time`)
  return workMs
}

await t.test('no patch of the largest size takes the event loop for long', async (t) => {
  for (const [kind, body] of Object.entries(longPatches)) {
    const workMs = await measure(t, { method: 'PATCH', path: `/Users/${ids[0]}`, body }, `a patch ${kind}`)
    t.comment(`a patch ${kind}: ${workMs.toFixed(0)} ms`)
  }
})

await t.test('no request of a provider takes the event loop for long, or fails', async (t) => {
  let longest = { workMs: 0, text: '' }
  const statuses: Record<number, number> = {}
  for (const { method, path, body } of fc.sample(anyRequest, { numRuns: inputs(100, 4_000), seed: SEED })) {
    const text = `${method} ${path.slice(0, 150)} ${body?.slice(0, 300) ?? ''}`
    const workMs = await measure(t, { method, path, body }, text, statuses)
    if (workMs > longest.workMs) longest = { workMs, text }
  }
  t.ok(statuses[200] && statuses[201] && statuses[400], 'some requests are done, and some refused')
  t.comment(`the longest work of a turn: ${longest.workMs.toFixed(0)} ms, ${longest.text}`)
  t.comment(JSON.stringify(statuses))
})
