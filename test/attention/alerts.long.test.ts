import { randomBytes } from 'node:crypto'
import t from 'tap'
import { changeAlerts } from '../../src/accounts/attention/change-alerts.ts'
import { checkCompany } from '../../src/accounts/attention/check-company.ts'
import { tellUsers } from '../../src/accounts/attention/tell-users.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { Outbox } from '../../src/accounts/mail/outbox.ts'
import { decryptContent } from '../../src/accounts/mail/outbox.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { startService } from '../support/service.ts'
import { earlier } from '../support/postgres/move-back.ts'

const service = await startService(t)
const { pool, db } = service
const secrets = createSecretBox([randomBytes(32)])
const announced: string[] = []
const outbox: Outbox = { publicUrl: 'https://hr.example.com', secrets, announce: (ids) => announced.push(...ids) }
const services = { pool, db }

const eventsOf = async (companyId: string) => {
  const { rows } = await pool.query<{ type: string; data: string }>(
    "select type, data from events where company_id = $1 and type like 'Attention%' order by position",
    [toUuid(companyId)],
  )
  return rows.map(({ type, data }) => `${type} ${(JSON.parse(data) as { kind: string }).kind}`)
}
const mailsTo = async (companyId: string) => {
  const { rows } = await pool.query<{ email_id: string; content: Buffer }>(
    'select email_id, content from emails where company_id = $1 order by created_at',
    [toUuid(companyId)],
  )
  return rows.map(({ email_id: id, content }) => decryptContent(secrets, content, id))
}
const check = (companyId: string) => checkCompany(services, companyId)
const tell = (companyId: string) => tellUsers(pool, db, outbox, companyId)

/** A company whose administrator wants alerts, and whose key can use up its quota. */
async function makeCompany(name: string) {
  const company = await service.makeCompany(name)
  const acting = { companyId: company.id, actor: company.admin.user_id }
  const subscribe = (wanted: boolean) => changeAlerts({ pool, newId }, acting, wanted)
  const useUp = (requests: number) =>
    pool.query(
      `update api_key_usage set window_start = date_trunc('month', statement_timestamp()), requests_made = $2 where api_id = $1`,
      [toUuid(company.key.api_id), requests],
    )
  const setQuota = (limit: number) =>
    service.manage(
      'PATCH',
      `/api-keys/${company.key.api_id}`,
      { quota_limit: limit, refresh_period: 'monthly' },
      company.admin.token,
    )
  await setQuota(100)
  return { ...company, subscribe, useUp, setQuota }
}
/** As if so many minutes had passed since a user was told. */
const later = (minutes: number) =>
  pool.query(`update users set told_at = ${earlier('told_at', 'make_interval(mins => $1::integer)')}`, [minutes])

await t.test('a problem that begins and ends is one event each, whoever checks and how often', async (t) => {
  const { id, useUp } = await makeCompany('Once')
  t.equal(await check(id), false)
  await useUp(100)
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => check(id)))
  t.equal(outcomes.filter(Boolean).length, 1, 'of six checks at once, one appends')
  t.strictSame(await eventsOf(id), ['AttentionRaised quota_used'])
  t.equal(await check(id), false)
  await useUp(0)
  await Promise.all([check(id), check(id)])
  t.strictSame(await eventsOf(id), ['AttentionRaised quota_used', 'AttentionResolved quota_used'])
  await useUp(100)
  await check(id)
  t.equal((await eventsOf(id)).length, 3, 'and again if it comes back')
  t.strictSame(await ledgerFaults(db, id), [])
})

await t.test('facts that are older than those compared before change nothing', async (t) => {
  const { id, useUp } = await makeCompany('Late')
  await useUp(100)
  await check(id)
  await useUp(0)
  await pool.query(
    `update attention_checks set checked_at = ${earlier('checked_at', "interval '-1 hour'")} where company_id = $1`,
    [toUuid(id)],
  )
  t.equal(await check(id), false)
  t.strictSame(await eventsOf(id), ['AttentionRaised quota_used'])
})

await t.test(
  'an administrator who wants alerts gets one message for a change, from however many processes',
  async (t) => {
    const { id, subscribe, useUp, key } = await makeCompany('Told')
    await useUp(80)
    await check(id)
    await subscribe(true)
    await tell(id)
    t.strictSame(await mailsTo(id), [], 'what began before is not news')
    await useUp(100)
    await check(id)
    await Promise.all(Array.from({ length: 5 }, () => tell(id)))
    const [mail, ...more] = await mailsTo(id)
    t.strictSame(more, [])
    t.ok(announced.includes(id))
    t.equal(mail?.subject, '1 problem needs your attention')
    const text = JSON.stringify(mail)
    t.match(text, 'Ended: the quota of a key is nearly used up')
    t.match(text, 'Began: the quota of a key is used up')
    t.match(text, key.name)
    t.match(text, 'https://hr.example.com/settings/bulk-user-logs')
  },
)

await t.test('further changes are gathered for 15 minutes, and none is told twice or lost', async (t) => {
  const { id, subscribe, useUp } = await makeCompany('Gathered')
  await subscribe(true)
  for (const requests of [100, 0, 100, 0]) {
    await useUp(requests)
    await check(id)
    await tell(id)
  }
  t.equal((await mailsTo(id)).length, 1)
  await later(14)
  await tell(id)
  t.equal((await mailsTo(id)).length, 1)
  await later(1)
  await Promise.all([tell(id), tell(id)])
  const mails = await mailsTo(id)
  t.equal(mails.length, 2)
  const lines = mails.flatMap(({ paragraphs }) =>
    paragraphs.filter((line) => typeof line === 'string' && /^(Began|Ended)/.test(line)),
  )
  t.equal(lines.length, 4)
  t.equal((await eventsOf(id)).length, 4)
})

await t.test('who wants no alerts any more, is removed, or is no administrator gets none', async (t) => {
  const { id, subscribe, useUp, admin } = await makeCompany('Quiet')
  await subscribe(true)
  await subscribe(false)
  await useUp(100)
  await check(id)
  await tell(id)
  t.strictSame(await mailsTo(id), [])
  await subscribe(true)
  await pool.query("update users set role = 'member' where user_id = $1", [toUuid(admin.user_id)])
  await useUp(0)
  await check(id)
  await tell(id)
  t.strictSame(await mailsTo(id), [])
})

await t.test('what a user chose is in the ledger, once', async (t) => {
  const { id, subscribe } = await makeCompany('Chosen')
  await Promise.all([subscribe(true), subscribe(true)])
  await subscribe(false)
  const { rows } = await pool.query<{ data: string }>(
    "select data from events where company_id = $1 and type = 'UserAlertsChanged' order by position",
    [toUuid(id)],
  )
  t.strictSame(
    rows.map(({ data }) => JSON.parse(data) as unknown),
    [
      { from: false, to: true },
      { from: true, to: false },
    ],
  )
})
