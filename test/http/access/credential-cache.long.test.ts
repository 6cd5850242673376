import t from 'tap'
import { createCredentialCache } from '../../../src/http/access/authenticate.ts'
import type { FoundKey } from '../../../src/accounts/api-keys/key-access.ts'
import { employee, startService } from '../../support/service.ts'

const service = await startService(t)
const head = async () => (await service.pool.query('select sum(position)::integer as n from heads')).rows[0].n

const CALLS = [
  ['a creation', 'POST', '/v1/employees', () => employee()],
  ['a body that is no JSON', 'POST', '/v1/employees', () => '{'],
  ['a patch of many', 'PATCH', '/v1/employees', () => [{ id: 'x' }]],
  ['a patch of one', 'PATCH', '/v1/employees/x', () => ({})],
  ['a verification', 'GET', '/v1/auth/verify', () => undefined],
  ['a list with a bad filter', 'GET', '/v1/employees?limit=0', () => undefined],
] as const

const ENDS = {
  revoked: `update api_keys set is_revoked = true where api_id = $1`,
  'rotated away': `update api_keys set secret_hash = sha256('another') where api_id = $1`,
}

for (const [end, statement] of Object.entries(ENDS)) {
  await t.test(
    `a secret that was good a moment ago and is ${end} by another process is refused at once, on every call`,
    async (t) => {
      const company = await service.makeCompany(`Company whose key is ${end}`)
      for (const [, method, path, body] of CALLS) await service.call(method, path, { key: company.key, body: body() })
      const uuid = (
        await service.pool.query(
          'select k.api_id from api_keys k join companies c using (company_id) where c.name = $1',
          [company.name],
        )
      ).rows[0].api_id
      await service.pool.query(statement, [uuid])
      const usage = async () => (await service.pool.query('select * from api_key_usage where api_id = $1', [uuid])).rows
      const before = { head: await head(), usage: await usage() }
      for (const [name, method, path, body] of CALLS) {
        const answer = await service.call(method, path, { key: company.key, body: body() })
        t.match(answer, { status: 401, body: { code: 'invalid_credentials' } }, name)
        t.match(answer.headers['www-authenticate'], /^ApiKey/, name)
        t.notOk(
          answer.headers.ratelimit ?? answer.headers['ratelimit-policy'],
          `${name}: nothing about the quota is revealed`,
        )
      }
      t.strictSame({ head: await head(), usage: await usage() }, before, 'nothing is stored, and no use is counted')
    },
  )
}

await t.test('a key disabled by another process is refused at once, with an entry', async (t) => {
  const company = await service.makeCompany('Disabled')
  t.equal((await service.call('POST', '/v1/employees', { key: company.key, body: employee() })).status, 201)
  await service.pool.query(
    'update api_keys k set is_enabled = false from companies c where c.company_id = k.company_id and c.name = $1',
    [company.name],
  )
  const before = await head()
  const refused = await service.call('POST', '/v1/employees', { key: company.key, body: employee() })
  t.match(refused, { status: 403, body: { code: 'key_disabled' } })
  t.equal(await head(), before + 1)
  t.match(await service.call('GET', '/v1/auth/verify', { key: company.key }), {
    status: 200,
    body: { is_enabled: false },
  })
})

await t.test('a cached proof is for one key and one secret, and expires after ten seconds', async (t) => {
  let now = 0
  const cache = createCredentialCache(() => now)
  const found = { companyId: 'com_1', key: { id: 'key_1' }, nowMs: 5_000 } as FoundKey
  cache.add(found, 'aa')
  now = 9_999
  t.equal(cache.find('key_1', 'bb'), null)
  t.equal(cache.find('key_2', 'aa'), null)
  t.match(cache.find('key_1', 'aa'), { companyId: 'com_1', nowMs: 14_999 })
  now = 10_000
  t.equal(cache.find('key_1', 'aa'), null)
})

await t.test('the credential cache is bounded: the entries that were not used for longest are dropped', async (t) => {
  const cache = createCredentialCache(() => 0)
  for (let at = 0; at <= 10_000; at += 1) cache.add({ key: { id: `key_${at}` }, nowMs: 0 } as FoundKey, 'aa')
  t.equal(cache.find('key_0', 'aa'), null)
  t.ok(cache.find('key_1', 'aa'))
})
