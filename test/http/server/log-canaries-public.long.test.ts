import t from 'tap'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { launch, makeDataDir } from '../../support/processes/cli.ts'
import type { CallOptions } from '../../support/service.ts'
import { send, startService } from '../../support/service.ts'

/*
 * The log of a real process at trace level while calls of the public API succeed and fail in every way: it holds
 * nothing that was sent, neither secrets nor personal data.
 */

const service = await startService(t)
const { key } = service.company
const CANARIES = [
  'Canaria',
  'canary@example.com',
  'CANARY-1',
  '+4915799',
  key.api_key,
  'Canary-Idempotency',
  'canaryvalue',
]

const server = launch(t, ['serve'], {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: makeDataDir(t),
  LOG_LEVEL: 'trace',
  BURST_LIMIT: '0',
  FAILURE_LIMIT: '0',
})
const address = await server.prints(/listens on (http:\S+)/)
const person = (more: Record<string, unknown> = {}) => {
  return {
    first_name: 'Canaria',
    last_name: 'Canaria',
    email: 'canary@example.com',
    external_id: 'CANARY-1',
    phone: '+4915799',
    ...more,
  }
}
const call = async (method: string, path: string, options: CallOptions) =>
  (await send(address, method, path, { key, ...options })).status

await t.test('no public call leaves a secret or personal data in the log', async (t) => {
  const headers = { 'idempotency-key': 'Canary-Idempotency' }
  const statuses = [
    await call('POST', '/v1/employees', { body: person(), headers }),
    await call('POST', '/v1/employees', { body: person(), headers }),
    await call('POST', '/v1/employees', { body: person({ email: 'canary@' }), headers }),
    await call('POST', '/v1/employees', { body: [person(), person()] }),
    await call('PATCH', '/v1/employees', {
      body: [{ email: 'canary@example.com', job_title: 'canaryvalue', canaryvalue: 1 }],
    }),
    await call('PATCH', '/v1/employees/canaryvalue', { body: { first_name: 'Canaria' } }),
    await call('POST', '/v1/employees', { body: '{"first_name":"Canaria",' }),
    await call('POST', '/v1/employees', { body: '{"__proto__":"canaryvalue"}' }),
    await call('POST', '/v1/employees', { body: 'canaryvalue', headers: { 'content-type': 'text/canaryvalue' } }),
    await call('GET', '/v1/employees?q=canaryvalue&email=canary@example.com', {}),
    await call('GET', '/v1/employees?canaryvalue=1', {}),
    await call('GET', '/v1/canaryvalue', {}),
    await call('GET', '/v1/auth/verify', { key: { ...key, api_key: `${key.api_key.slice(0, -1)}_` } }),
    await call('GET', '/v1/auth/verify', {}),
  ]
  t.strictSame(statuses, [201, 201, 422, 422, 422, 404, 400, 400, 415, 200, 400, 404, 401, 200])
})

await t.test('a database error that quotes the request is logged without the quote', async (t) => {
  await asSuperuser(
    service.urls.superUrl,
    `create function quote() returns trigger language plpgsql as $$
      begin raise exception 'it is %', new.email using errcode = 'check_violation', detail = to_json(new)::text; end $$`,
    'create trigger quote before insert on employee_directory for each row execute function quote()',
  )
  t.equal(
    await call('POST', '/v1/employees', { body: person({ email: 'canary@example.com', external_id: 'CANARY-1x' }) }),
    409,
  )
  t.equal(
    await call('POST', '/v1/employees', {
      body: { first_name: 'Canaria', last_name: 'C', email: 'other.canary@example.com' },
    }),
    500,
  )
})

await t.test('nothing that was sent is in the log of the public API', async (t) => {
  const { stderr } = await server.end('SIGTERM')
  t.match(stderr, /could not store a call/, 'the error itself is logged')
  for (const canary of CANARIES) t.notOk(stderr.includes(canary), canary)
})
