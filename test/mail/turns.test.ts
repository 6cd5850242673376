import { pino } from 'pino'
import t from 'tap'
import { startSending } from '../../src/delivery/mail/send-next.ts'
import { openQueues } from '../../src/workers/queues.ts'
import { startMailServer } from '../support/mail/mail-server.ts'
import { openTestOutbox } from '../support/mail/outbox.ts'
import { startService } from '../support/service.ts'

const service = await startService(t)
const mail = openTestOutbox(service)

await t.test('a company with many messages delays no other, and the sweep finds what no job announced', async (t) => {
  const other = await service.makeCompany('Other')
  for (let count = 0; count < 300; count += 1) await mail.enqueue()
  await mail.enqueue({ subject: 'Theirs' }, other)
  const server = await startMailServer(t)
  const ahead: number[] = []
  server.judge = ({ headers }) => {
    if (headers['subject'] === 'Theirs') ahead.push(server.received.length - 1)
  }
  const boss = await openQueues(service.urls.serviceUrl, { works: true, connections: 4, onError: () => undefined })
  const log = pino({ level: 'silent' })
  const sending = await startSending({ ...mail.services(server.url), log, boss, sweepIntervalMs: 100 })
  while (ahead.length === 0) await server.waitFor(server.received.length + 1)
  await sending.stop()
  await boss.stop({ graceful: false })
  t.ok(ahead[0]! <= 10, `${ahead[0]} messages of the other company came first`)
})

await t.test('what a company can make the service store is limited', async (t) => {
  await mail.clear()
  await mail.enqueue()
  await service.pool.query(
    `insert into emails (company_id, email_id, user_id, kind, state, content, created_at, due_at, give_up_at)
     select company_id, gen_random_uuid(), user_id, kind, state, content, created_at - interval '2 hours', due_at, give_up_at
     from emails, generate_series(1, 9998)`,
  )
  for (let count = 0; count < 3; count += 1) await mail.enqueue()
  t.equal((await mail.rows()).length, 10_000)
})
