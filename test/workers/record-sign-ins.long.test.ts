import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { insertSessionEvents } from '../../src/accounts/session-events.ts'
import { recordSignIns } from '../../src/accounts/sign-in/record-sign-ins.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { RECORD_SIGN_INS } from '../../src/workers/queues.ts'
import { eventually } from '../support/eventually.ts'
import { signInsOf } from '../support/http/sign-in-events.ts'
import { sendJob } from '../support/send-job.ts'
import { startService } from '../support/service.ts'

await t.test('workers record on a schedule what no process has recorded', async (t) => {
  const service = await startService(t, {}, { workers: true })
  const { id: companyId, member } = service.company
  const user = { companyId, userId: member.user_id }
  await insertSessionEvents(service.pool, { companyId, actor: user.userId }, [
    { userId: user.userId, type: 'UserSignedIn', data: { method: 'passkey' } },
  ])
  await sendJob(service.urls.serviceUrl, RECORD_SIGN_INS)
  const recorded = await eventually('it is recorded', async () => {
    const events = await signInsOf(service, user)
    return events.length > 0 && events
  })
  t.strictSame(recorded, ['UserSignedIn passkey'])
})

await t.test('sign-ins are appended in the order in which they happened, whoever made them and how many', async (t) => {
  const service = await startService(t)
  const { pool, company } = service
  const users = [company.member.user_id, company.auditor.user_id]
  const minutes = Array.from({ length: 450 }, (_, minute) => minute)
  // Stored in another order than that of their times, by one user for a while and then by another.
  for (const minute of minutes.toSorted((one, other) => ((one * 7) % 450) - ((other * 7) % 450))) {
    const user = users[Math.floor(minute / 225)]!
    await pool.query(
      `insert into session_events (company_id, event_id, user_id, type, data, actor, happened_at)
       values ($1, $2, $3, 'UserSignedIn', '{"method": "password"}', $4, timestamptz '2026-01-01' + $5 * interval '1 minute')`,
      [toUuid(company.id), randomUUID(), toUuid(user), user, minute],
    )
  }
  await recordSignIns({ pool, log: pino({ level: 'silent' }) })
  const { body } = await service.audit('/events?type=UserSignedIn&limit=1000')
  const times = body.map(({ data }: { data: { at: string } }) => Date.parse(data.at) / 60_000)
  t.strictSame(
    times,
    minutes.map((minute) => Date.parse('2026-01-01T00:00:00Z') / 60_000 + minute),
  )
  const { rowCount } = await pool.query('select from session_events')
  t.equal(rowCount, 0)
})
