import pg from 'pg'
import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const service = await startService(t)
await service.call('POST', '/v1/employees', { body: employee() })

const CHANGES = [
  `update events set actor = 'operator'`,
  `update events set ${ERASE}`,
  'delete from events',
  'truncate events',
]

const attempt = async (url: string, statement: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
  } finally {
    await client.end()
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

for (const statement of CHANGES) {
  await t.test(`nobody can run: ${statement}`, async (t) => {
    t.equal(await attempt(service.urls.serviceUrl, statement), INSUFFICIENT_PRIVILEGE, 'the service lacks the right')
    t.equal(await attempt(service.urls.ownerUrl, statement), INSUFFICIENT_PRIVILEGE, 'the trigger stops the owner')
  })
}

await t.test('the service cannot change the schema', async (t) => {
  for (const statement of [
    'drop table events',
    'alter table events disable trigger all',
    'create table mine (a int)',
  ]) {
    t.equal(await attempt(service.urls.serviceUrl, statement), INSUFFICIENT_PRIVILEGE, statement)
  }
})
