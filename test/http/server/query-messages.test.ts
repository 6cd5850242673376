import t from 'tap'
import type { OpenApiDocument } from '../../../src/http/openapi/build-document.ts'
import { operationsOf } from '../../support/http/api-document.ts'
import { employee, send, startService } from '../../support/service.ts'

/* What an answer says of a query that can't be read leads to one that can. */

const service = await startService(t)
const document: OpenApiDocument = (await service.call('GET', '/openapi.json')).body
const { key, admin } = service.company

interface Parameter {
  in?: string
  name: string
  required?: boolean
  example?: string
  schema?: { type?: string; format?: string }
}
const parameters = operationsOf(document).flatMap(({ method, path, operation }) =>
  ((operation.parameters ?? []) as Parameter[])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, example, schema }) => {
      return { method, path, name, isRequired: required === true, example, ...schema }
    }),
)

/** The other parameters that an operation requires beside one, with their examples, to follow it in a query. */
function requiredBeside({ method, path, name }: { method: string; path: string; name: string }): string {
  return parameters
    .filter((other) => other.isRequired && other.path === path && other.method === method && other.name !== name)
    .map((other) => `&${other.name}=${encodeURIComponent(other.example!)}`)
    .join('')
}

/** Calls an operation with a query, and returns the status and the detail. */
async function ask({ method, path }: { method: string; path: string }, query: string) {
  const isPublic = path.startsWith('/v1/')
  const address = `${path.replace(/\{\w+\}/, 'x')}?${query}`
  const { status, body } = await send(service.address, method, address, {
    key: isPublic ? key : null,
    headers: isPublic ? {} : { authorization: `Bearer ${admin.token}` },
  })
  return { status, detail: String(body.detail) }
}

await t.test('every time says its format, with an example, and what a blank may mean', async (t) => {
  const times = parameters.filter(({ format }) => format === 'date-time')
  t.ok(times.length > 5)
  for (const time of times) {
    const name = `${time.method} ${time.path}: ${time.name}`
    const example = new RegExp(`${time.name} must be a time with its zone \\(RFC 3339\\), such as 2026-01-31T06:00:00Z`)
    const others = requiredBeside(time)
    t.match(await ask(time, `${time.name}=2026-11-29${others}`), { status: 400, detail: example }, name)
    const unencoded = `${time.name}=2026-11-29T06:00:00+01:00${others}`
    t.match(await ask(time, unencoded), { status: 400, detail: /%2B/ }, name)
  }
})

await t.test('a parameter that is repeated is told as repeated', async (t) => {
  const alone = parameters.filter(
    ({ method, path, name }) =>
      !parameters.some(
        (other) => other.isRequired && other.path === path && other.method === method && other.name !== name,
      ),
  )
  for (const parameter of alone.filter(({ type }) => type !== 'array')) {
    const { status, detail } = await ask(parameter, `${parameter.name}=1&${parameter.name}=1`)
    t.match({ status, detail }, { status: 400, detail: `The query parameter ${parameter.name} appears more than once` })
  }
})

await t.test('booleans are read as Python writes them, and others are told true or false', async (t) => {
  const flags = parameters.filter(({ type }) => type === 'boolean')
  t.ok(flags.length > 2)
  for (const flag of flags) {
    for (const value of ['True', 'FALSE'])
      t.notMatch((await ask(flag, `${flag.name}=${value}`)).detail, `parameter ${flag.name}`)
    t.match((await ask(flag, `${flag.name}=yes`)).detail, `The query parameter ${flag.name} must be true or false`)
  }
})

await t.test('an unknown parameter is named with the one that is meant, and else all are', async (t) => {
  const list = { method: 'GET', path: '/v1/employees' }
  const near = {
    page: 'cursor',
    pageSize: 'limit',
    per_page: 'limit',
    externalId: 'external_id',
    sort: 'order',
    'amp;q': 'q',
  }
  for (const [sent, meant] of Object.entries({ ...near, stattus: 'status', updated_snce: 'updated_since' })) {
    const { detail } = await ask(list, `limit=10&${sent}=1`)
    t.equal(detail, `The query parameter ${sent} does not exist; there is ${meant}`)
  }
  const { detail } = await ask(list, 'ana-perez=1')
  t.match(detail, /^A query parameter does not exist; there are limit, cursor, .*min_position$/)
  t.notMatch(detail, 'perez', 'what may be a name is not repeated')
})

await t.test('a query in another encoding than UTF-8 is refused, instead of finding nobody', async (t) => {
  const list = { method: 'GET', path: '/v1/employees' }
  for (const query of ['q=M%FCller', 'email=m%FCller@example.com', 'q=%C3', 'department=%ff'])
    t.match(await ask(list, query), { status: 400, detail: /UTF-8/ }, query)
  for (const query of ['q=M%C3%BCller', 'q=100%', 'q=%zz']) t.equal((await ask(list, query)).status, 200, query)
})

await t.test('a plus sign in an external id that is not encoded is told, if somebody has it', async (t) => {
  await service.call('POST', '/v1/employees', { body: employee({ external_id: 'A+1' }) })
  const list = { method: 'GET', path: '/v1/employees' }
  t.match(await ask(list, 'external_id=A+1'), { status: 400, detail: /external_id .*%2B/ })
  t.match(await ask(list, 'email=a%2540example.com'), { status: 400, detail: /encoded twice/ })
  const mailed = await ask(list, `updated_since=${encodeURIComponent('Sun, 29 Nov 2026 10:00:00 GMT')}`)
  t.match(mailed, { status: 400, detail: /RFC 3339/ }, 'a blank of another format is no plus sign')
  t.equal((await ask(list, 'external_id=A%2B1')).status, 200)
  t.equal((await ask(list, 'external_id=B+1')).status, 200, 'a blank can be meant')
})
