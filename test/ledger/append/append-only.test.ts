import t from 'tap'
import { employee, startService } from '../../support/service.ts'
import { attemptSql } from '../../support/postgres/run-sql.ts'
import { ERASE } from '../../support/ledger/event-row.ts'

const service = await startService(t)
await service.call('POST', '/v1/employees', { body: employee() })

const CHANGES = [
  `update events set actor = 'operator'`,
  `update events set ${ERASE}`,
  'delete from events',
  'truncate events',
]

const INSUFFICIENT_PRIVILEGE = '42501'

for (const statement of CHANGES) {
  await t.test(`nobody can run: ${statement}`, async (t) => {
    t.equal(await attemptSql(service.urls.serviceUrl, statement), INSUFFICIENT_PRIVILEGE, 'the service lacks the right')
    t.equal(await attemptSql(service.urls.ownerUrl, statement), INSUFFICIENT_PRIVILEGE, 'the trigger stops the owner')
  })
}
