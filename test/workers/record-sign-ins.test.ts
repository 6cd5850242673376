import t from 'tap'
import { insertSessionEvents } from '../../src/accounts/session-events.ts'
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
