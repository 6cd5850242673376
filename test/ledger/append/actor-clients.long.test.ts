import t from 'tap'
import { eraseUser } from '../../../src/personal-data/erase-user.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { ClientRegister, deleteOldClients, isDue } from '../../../src/ledger/append/actor-clients.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { startService } from '../../support/service.ts'
import { issueToken } from '../../support/http/sessions.ts'

const service = await startService(t, { TRUST_PROXY: '127.0.0.1' })
const { company } = service
const from = (address: string, program = 'sync/1.0') => ({ 'x-forwarded-for': address, 'user-agent': program })

let count = 0
const create = async (address: string, program?: string) => {
  const employees = [1, 2].map(() => ({ first_name: 'A', last_name: 'B', email: `a${(count += 1)}@example.com` }))
  const answer = await service.call('POST', '/v1/employees', { body: { employees }, headers: from(address, program) })
  t.equal(answer.status, 201)
  return Number(answer.headers['x-ledger-position'])
}

const eventsWithClients = async (companyId = company.id) => {
  const { rows } = await service.pool.query(
    `select e.position, e.type, e.actor, c.address, c.user_agent from events e
     left join actor_clients c on c.company_id = e.company_id and c.client_id = e.client_id
     where e.company_id = $1 order by e.position`,
    [toUuid(companyId)],
  )
  return rows as { position: number; type: string; actor: string; address: string | null; user_agent: string | null }[]
}
const clientAt = async (position: number) => (await eventsWithClients()).find((event) => event.position === position)

await t.test('the event that closes a call names the address and the program that sent it', async (t) => {
  const position = await create('203.0.113.7')
  t.match(await clientAt(position), { type: 'ApiCallCompleted', address: '203.0.113.7', user_agent: 'sync/1.0' })
  t.match(await clientAt(position - 1), { type: 'EmployeeCreated', address: null })
  const failed = await service.call('POST', '/v1/employees', {
    body: { employees: [{}] },
    headers: from('203.0.113.8'),
  })
  t.equal(failed.status, 422)
  t.match((await eventsWithClients()).at(-1), { type: 'ApiCallFailed', address: '203.0.113.8' })
})

await t.test('the calls of a day from one address share a row', async (t) => {
  await Promise.all(Array.from({ length: 20 }, () => create('203.0.113.9')))
  const { rows } = await service.pool.query("select * from actor_clients where address = '203.0.113.9'")
  t.equal(rows.length, 1)
  t.equal((await eventsWithClients()).filter(({ address }) => address === '203.0.113.9').length, 20)
})

await t.test('every event of a change by an administrator names the address', async (t) => {
  const key = { name: 'HR', quota_limit: 5, refresh_period: 'daily' }
  t.equal((await service.manage('POST', '/api-keys', key)).status, 201)
  t.match((await eventsWithClients()).at(-1), { type: 'ApiKeyIssued', address: '127.0.0.1' })
})

await t.test('what was done on the command line names none', async (t) => {
  t.match((await eventsWithClients())[0], { type: 'CompanyRegistered', address: null })
})

await t.test('a long program name is shortened, and one with any bytes is stored', async (t) => {
  const position = await create('203.0.113.10', 'é'.repeat(2_000))
  t.equal((await clientAt(position))!.user_agent!.length, 256)
})

await t.test('addresses are deleted once they are old, and the events stay', async (t) => {
  const position = await create('203.0.113.11')
  await service.pool.query(
    "update actor_clients set last_at = statement_timestamp() - interval '91 days' where address = '203.0.113.11'",
  )
  const [one, other] = await Promise.all([deleteOldClients(service.pool, 90), deleteOldClients(service.pool, 90)])
  t.equal(one + other, 1, 'two processes at once delete it once')
  t.match(await clientAt(position), { type: 'ApiCallCompleted', address: null, user_agent: null })
})

await t.test('erasing a user deletes the addresses of that user, and of nobody else', async (t) => {
  const { admin, member, id: companyId } = await service.makeCompany('Erased')
  await issueToken(service, member, { name: 'mine', expires_in_days: 7 })
  await service.manage('DELETE', `/users/${member.user_id}`, undefined, admin.token)
  const acting = { companyId, actor: admin.user_id, client: { address: '198.51.100.1', userAgent: null } }
  const services = { pool: service.pool, newId }
  const before = await eventsWithClients(companyId)
  t.equal(
    before.find(({ actor, type }) => actor === member.user_id && type === 'UserTokenIssued')?.address,
    '127.0.0.1',
  )
  await eraseUser(services, acting, member.user_id)
  const after = await eventsWithClients(companyId)
  t.strictSame(
    after.filter(({ actor }) => actor === member.user_id).map(({ type, address }) => [type, address]),
    [
      ['UserSignedIn', null],
      ['UserTokenIssued', null],
    ],
  )
  t.match(after.at(-1), { type: 'UserErased', address: '198.51.100.1' })
})

await t.test('each day of an address has a row of its own, so that it can be deleted when it gets old', (t) => {
  const register = new ClientRegister()
  const of = { companyId: 'com_1', actorId: 'key_1' }
  const client = { address: '203.0.113.7', userAgent: 'sync/1.0' }
  const first = register.find(of, client, '2026-03-01T23:59:59.999Z')
  t.equal(register.find(of, client, '2026-03-01T00:00:00.000Z'), first)
  t.not(register.find(of, client, '2026-03-02T00:00:00.000Z')?.clientId, first?.clientId)
  t.end()
})

await t.test('a row is written at its first use, and then once a minute', (t) => {
  const client = new ClientRegister().find(
    { companyId: 'com_1', actorId: 'key_1' },
    { address: '203.0.113.7', userAgent: null },
    '2026-03-01T00:00:00.000Z',
  )!
  t.equal(isDue(client, '2026-03-01T00:00:00.000Z'), true)
  client.writtenAt = '2026-03-01T00:00:00.000Z'
  t.equal(isDue(client, '2026-03-01T00:00:59.999Z'), false)
  t.equal(isDue(client, '2026-03-01T00:01:00.000Z'), true)
  t.end()
})

await t.test('a company that makes up programs and addresses gets a limited number of rows a day', (t) => {
  const register = new ClientRegister()
  const today = '2026-03-01T00:00:00.000Z'
  const of = { companyId: 'com_1', actorId: 'key_1' }
  const found = Array.from({ length: 5_000 }, (_, at) =>
    register.find(of, { address: `10.0.${at >> 8}.${at & 255}`, userAgent: `program ${at}` }, today),
  )
  t.equal(new Set(found.flatMap((client) => client?.clientId ?? [])).size, 2_000)
  t.equal(found[1_500]?.userAgent, null, 'the address is kept for longer than the program')
  t.equal(found[1_500]?.address, '10.0.5.220')
  t.equal(found.at(-1), null)
  t.equal(register.find(of, { address: '', userAgent: 'x' }, today), null, 'a closed connection has no address')
  const other = { companyId: 'com_2', actorId: 'key_2' }
  t.ok(register.find(other, { address: '10.0.0.1', userAgent: 'x' }, today), 'other companies do not notice')
  t.ok(register.find(of, { address: '10.0.0.1', userAgent: 'x' }, '2026-03-02T00:00:00.000Z'), 'nor does tomorrow')
  t.end()
})
