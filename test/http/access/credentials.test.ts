import http from 'node:http'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const { api_id, api_key } = service.company.key
const head = async () => (await service.db.selectFrom('heads').select('position').executeTakeFirstOrThrow()).position

const flip = (text: string) => text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x')
const rightForm = async () => (await service.makeCompany('Other')).key

const MISSING: Record<string, string> = {
  'no credentials': 'The request has no header x-api-id and no x-api-key',
  'no secret': 'The request has no header x-api-key',
  'no id': 'The request has no header x-api-id',
  'a malformed id': 'x-api-id begins with key_, and x-api-key with el_live_',
  'an id and a secret in each other’s place': 'x-api-id begins with key_, and x-api-key with el_live_',
}

const CREDENTIALS: Record<string, Record<string, string>> = {
  'no credentials': {},
  'no secret': { 'x-api-id': api_id },
  'no id': { 'x-api-key': api_key },
  'a mistyped secret': { 'x-api-id': api_id, 'x-api-key': flip(api_key) },
  'a malformed id': { 'x-api-id': 'me', 'x-api-key': api_key },
  'an id and a secret in each other’s place': { 'x-api-id': api_key, 'x-api-key': api_id },
  'an unknown id': { 'x-api-id': 'key_01h455vb4pex5vsknk084sn02q', 'x-api-key': api_key },
  'the secret of another key': { 'x-api-id': api_id, 'x-api-key': (await rightForm()).api_key },
}

for (const [name, headers] of Object.entries(CREDENTIALS)) {
  await t.test(
    `${name}: 401 on every call, with a body that says only what the caller knows, and no entry`,
    async (t) => {
      const before = await head()
      const calls = [
        ['POST', '/v1/employees', employee()],
        ['PATCH', '/v1/employees', [{}]],
        ['PATCH', '/v1/employees/x', {}],
        ['GET', '/v1/employees/x', undefined],
        ['GET', '/v1/auth/verify', undefined],
      ] as const
      for (const [method, path, body] of calls) {
        const answer = await service.call(method, path, {
          key: null,
          headers: { ...headers, 'x-request-id': 'same' },
          body,
        })
        t.equal(answer.status, 401)
        t.match(answer.headers['www-authenticate'], /^ApiKey/)
        t.strictSame(answer.body, {
          type: '/problems/invalid_credentials',
          title: 'The credentials are missing or invalid',
          status: 401,
          code: 'invalid_credentials',
          detail: MISSING[name] ?? 'The credentials are missing, unknown or no longer valid',
          request_id: 'same',
          errors: [],
        })
      }
      t.equal(await head(), before)
    },
  )
}

await t.test('a header sent twice is refused, even when both values are right', async (t) => {
  const { port } = new URL(service.address)
  const status = await new Promise((resolve, reject) => {
    const headers = ['host', 'localhost', 'x-api-id', api_id, 'x-api-key', api_key, 'x-api-key', api_key]
    http
      .get({ port, path: '/v1/auth/verify', headers }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
  })
  t.equal(status, 401)
})

await t.test('the credentials are checked before the body is read', async (t) => {
  const answer = await service.call('POST', '/v1/employees', { key: null, body: '{' })
  t.equal(answer.status, 401)
})
