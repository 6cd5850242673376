import fc from 'fast-check'
import t from 'tap'
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
const many = (one: string, joint: string) =>
  one + (joint + one).repeat(Math.floor((8_000 - one.length) / (one + joint).length))
const anyLongFilter = pick(
  `${'('.repeat(40)}title pr${')'.repeat(40)}`,
  `${'not ('.repeat(40)}title eq "x"${')'.repeat(40)}`,
  `${'('.repeat(7_990)}title pr`,
  many('title co "x"', ' or '),
  many('emails[type eq "home"]', ' or '),
  many('userName eq "user1"', ' or '),
  many('not (active eq true)', ' and '),
  `title co "${'ß'.repeat(7_000)}"`,
  `title eq "${'\\\\'.repeat(3_900)}`,
)
const anyOperation = fc.record(
  { op: pick('add', 'Replace', 'remove', 'x'), path: fc.oneof(anyName, anyFilter), value: anyValue },
  { requiredKeys: [] },
)
const operations = (count: number, operation: (at: number) => unknown) =>
  JSON.stringify({ Operations: Array.from({ length: count }, (_, at) => operation(at)) })
const anyLongPatch = pick(
  operations(10_000, () => ({ op: 'add', path: 'title', value: 'x' })),
  operations(10_000, () => ({ op: 'add', value: { title: 'x' } })),
  operations(10_000, (at) => ({ op: 'add', path: `emails[type eq "t${at}"].value`, value: 'x' })),
  operations(10_000, (at) => ({ op: 'add', path: `x${at}`, value: at })),
  operations(400, (at) => ({ op: 'add', path: `emails[${many(`value eq "${at}"`, ' or ')}].value`, value: 'x' })),
  operations(800, (at) => ({
    op: 'add',
    path: 'emails',
    value: Array.from({ length: 50 }, () => ({ type: `${at}` })),
  })),
  operations(2, () => ({ op: 'add', path: 'name.givenName', value: 'ﷺ'.repeat(300_000) })),
  operations(1, () => ({
    op: 'add',
    value: Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`a${at}`, at])),
  })),
  operations(1, () => ({ op: 'add', path: 'manager', value: Array.from({ length: 9_000 }, (_, at) => `m${at}`) })),
)
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

await t.test('no request of a provider takes the event loop for long, or fails', async (t) => {
  let longest = { workMs: 0, text: '' }
  const statuses: Record<number, number> = {}
  for (const { method, path, body } of fc.sample(anyRequest, { numRuns: inputs(100, 4_000), seed: SEED })) {
    const text = `${method} ${path.slice(0, 150)} ${body?.slice(0, 300) ?? ''}`
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
    if (workMs > longest.workMs) longest = { workMs, text }

    if (workMs > MAX_WORK_MS) t.fail(`${text} took the event loop for ${Math.round(workMs)} ms of CPU time`)
  }
  t.ok(statuses[200] && statuses[201] && statuses[400], 'some requests are done, and some refused')
  t.comment(`the longest work of a turn: ${longest.workMs.toFixed(0)} ms, ${longest.text}`)
  t.comment(JSON.stringify(statuses))
})
