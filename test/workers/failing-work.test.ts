import { pino } from 'pino'
import t from 'tap'
import { checkAttention } from '../../src/accounts/attention/check-attention.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { recordSignIns } from '../../src/accounts/sign-in/record-sign-ins.ts'
import { insertSessionEvents } from '../../src/accounts/session-events.ts'
import { checkWork } from '../../src/cli/doctor/check-tables.ts'
import { sendNextEmail } from '../../src/delivery/mail/send-next.ts'
import { type BackgroundWork, BACKGROUND_WORK } from '../../src/domain/attention-kinds.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { expireFailingWork, readFailingWork, trackWork } from '../../src/ledger/background/failing-work.ts'
import { watchDatabase } from '../../src/observe/metrics/database-metrics.ts'
import { createMetrics, renderMetrics } from '../../src/observe/metrics/metrics.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { startMailServer } from '../support/mail/mail-server.ts'
import { openTestOutbox } from '../support/mail/outbox.ts'
import { employee, startService } from '../support/service.ts'
import { openTestWebhooks } from '../support/webhooks.ts'

const service = await startService(t)
const { pool, db, company } = service
const companyId = company.id
const log = pino({ level: 'silent' })
const KINDS = Object.keys(BACKGROUND_WORK) as BackgroundWork[]

const clear = () => pool.query('delete from failing_work')
const failingOf = async (id = companyId) => (await readFailingWork(db, id)).map(({ work }) => work)
const fail = (work: BackgroundWork, id: string | null = companyId, subject = '') =>
  trackWork(pool, { companyId: id, work, subject }, () => Promise.reject(new Error('it broke'))).catch(() => undefined)

await t.test('work that fails is on record until it succeeds, with its first time and its last error', async (t) => {
  await fail('uploads')
  const [first] = await readFailingWork(db, companyId)
  const again = trackWork(pool, { companyId, work: 'uploads' }, () => Promise.reject(new Error('it broke again')))
  await t.rejects(again, { message: 'it broke again' })
  t.match(await readFailingWork(db, companyId), [{ ...first!, error: 'it broke again' }])
  await fail('uploads', companyId, 'another upload')
  t.equal(await trackWork(pool, { companyId, work: 'uploads' }, async () => 7), 7)
  t.match(await readFailingWork(db, companyId), [{ subject: 'another upload' }])
  await clear()
  const lost = trackWork(pool, { companyId, work: 'uploads' }, () =>
    Promise.reject(new Error('Connection terminated unexpectedly')),
  )
  await t.rejects(lost)
  t.strictSame(await failingOf(), [], 'faults of the database itself are not recorded')
})

await t.test('doctor, the metrics, attention, and the page of health show each kind of work that fails', async (t) => {
  const metrics = createMetrics()
  watchDatabase(metrics, { pool, projections: [], queueDepths: async () => [] })
  t.match(await checkWork(pool), [{ level: 'ok' }])
  for (const work of KINDS) {
    await clear()
    const isOfAll = work === 'jobs'
    await fail(work, isOfAll ? null : companyId)
    await pool.query(`update failing_work set since = now() - interval '11 minutes'`)
    const found = new RegExp(`can't ${BACKGROUND_WORK[work]}${isOfAll ? ',' : ` for ${companyId},`} .*: it broke$`)
    t.match(await checkWork(pool), [{ check: work, level: work === 'signing' ? 'fail' : 'warn', found }])
    t.match(await renderMetrics(metrics), `failing_work_companies{work="${work}"} 1`)
    if (isOfAll) continue
    const kind = work === 'signing' ? 'ledger_unsigned' : 'work_failing'
    t.match((await service.admin('/attention')).body.items, [{ kind }], work)
    const page = await browse(service, '/settings/health', { cookie: await cookieOf(service, company.admin) })
    t.match(page.text.replaceAll('&#39;', "'"), `can't ${BACKGROUND_WORK[work]}`)
  }
  await clear()
  t.match(await renderMetrics(metrics), 'failing_work_companies{work="signing"} 0')
})

await t.test('what nobody has tried for hours is forgotten, and nothing else', async (t) => {
  await fail('uploads', companyId, 'deleted')
  await fail('signing')
  await pool.query(`update failing_work set seen_at = now() - interval '3 hours' where work = 'uploads'`)
  t.equal(await expireFailingWork(pool), 1)
  t.strictSame(await failingOf(), ['signing'])
  await clear()
})

await t.test('a company whose alerts or sign-ins cannot be handled is on record until they can', async (t) => {
  await pool.query(`update users set wants_alerts = true where company_id = $1 and role = 'admin'`, [toUuid(companyId)])
  const services = { pool, db, outbox: undefined, log }
  await checkAttention({ ...services, db: {} as typeof db })
  t.strictSame(await failingOf(), ['attention'])
  await checkAttention(services)
  t.strictSame(await failingOf(), [])
  const { user_id: userId } = company.member
  await insertSessionEvents(pool, { companyId, actor: userId }, [
    { userId, type: 'UserSignedIn', data: { method: 'password' } },
  ])
  let queries = 0
  const broken = Object.create(pool, {
    query: {
      value: (...given: [string]) =>
        (queries += 1) === 1 ? Promise.reject(new Error('refused')) : pool.query(...given),
    },
    connect: { value: () => pool.connect() },
  }) as typeof pool
  await recordSignIns({ pool: broken, log })
  t.strictSame(await failingOf(), ['sign-ins'])
  await recordSignIns({ pool, log })
  t.strictSame(await failingOf(), [])
})

await t.test('email that the server does not take is on record until it does', async (t) => {
  const mail = openTestOutbox(service)
  const server = await startMailServer(t)
  await mail.enqueue()
  const signal = new AbortController().signal
  await sendNextEmail(mail.services(server.url.replace('ledger:', 'other:')), companyId, signal)
  t.match(await readFailingWork(db, companyId), [{ work: 'emails', error: /^a message was not accepted/ }])
  await mail.passTime()
  await sendNextEmail(mail.services(server.url), companyId, signal)
  t.strictSame(await failingOf(), [])
})

await t.test('a webhook whose secret cannot be read is on record until it can', async (t) => {
  const webhooks = openTestWebhooks(t, service)
  const webhook = await webhooks.create('http://127.0.0.1:9/')
  await service.call('POST', '/v1/employees', { body: employee() })
  await webhooks.deliverOnce(webhook, { secrets: createSecretBox([Buffer.alloc(32, 9)]) })
  t.match(await readFailingWork(db, companyId), [{ work: 'webhooks', subject: webhook.webhookId }])
  await webhooks.passTime(webhook)
  await webhooks.deliverOnce(webhook)
  t.strictSame(await failingOf(), [], 'a receiver that does not answer is no fault of the service')
})
