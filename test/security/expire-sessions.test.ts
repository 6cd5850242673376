import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { expireSessions } from '../../src/accounts/users/sessions.ts'
import { DELETE_EXPIRED } from '../../src/workers/queues.ts'
import { eventually } from '../support/eventually.ts'
import { cookieOf } from '../support/http/sessions.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { NAMES } from '../support/postgres/test-server.ts'
import { sendJob } from '../support/send-job.ts'
import { startService } from '../support/service.ts'

const service = await startService(t, {}, { workers: true })
const other = await service.makeCompany('Other')

const countSessions = async () => {
  const { rows } = await service.pool.query<{ count: number }>('select count(*)::integer as count from sessions')
  return rows[0]!.count
}
const endAll = (companyId: string) =>
  service.pool.query(`update sessions set expires_at = created_at where company_id = $1`, [toUuid(companyId)])

await t.test('sessions are deleted once they have ended, of every company, and no others', async (t) => {
  for (const { admin, auditor } of [service.company, other]) {
    await cookieOf(service, admin)
    await cookieOf(service, auditor)
  }
  await endAll(other.id)
  const removals = await Promise.all([expireSessions(service.pool), expireSessions(service.pool)])
  t.equal(removals[0] + removals[1], 2, 'two processes at once delete each row once')
  t.equal(await countSessions(), 2)
})

await t.test('workers delete ended sessions on a schedule, whatever else they cannot delete', async () => {
  await endAll(service.company.id)
  await service.pool.query(
    `insert into logout_tokens (company_id, token_hash, expires_at)
     select $1, sha256(convert_to(age, 'UTF8')), now() - age::interval from unnest(array['1 second', '-1 hour']) age`,
    [toUuid(service.company.id)],
  )
  // Answers cannot be expired then.
  await runSql(service.urls.superUrl, `revoke select on idempotency_keys from ${NAMES.service}`)
  await sendJob(service.urls.serviceUrl, DELETE_EXPIRED)
  await eventually('the logout tokens that are too old are gone', async () => {
    const { rows } = await service.pool.query('select from logout_tokens')
    return rows.length === 1
  })
  await eventually('and so are the sessions', async () => (await countSessions()) === 0)
})
