import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import t from 'tap'
import { BULK_USER_LOGS } from '../../projections/bulk-user-logs/queries.ts'
import { changeAlerts } from '../../src/accounts/attention/snooze.ts'
import { checkAttention, checkCompany, tellUsers } from '../../src/accounts/attention/check-attention.ts'
import { appendCompanyEvents, nextVersion, SCHEDULE } from '../../src/ledger/append/append-company-events.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { AttentionKind } from '../../src/domain/attention-kinds.ts'
import { decryptContent, type Outbox } from '../../src/accounts/mail/outbox.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'
import { startService } from '../support/service.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { earlier } from '../support/postgres/move-back.ts'
import { FAILURES_BY_HOUR } from '../support/postgres/projection-tables.ts'

const service = await startService(t)
const { pool, db } = service
const secrets = createSecretBox([randomBytes(32)])
const announced: string[] = []
const outbox: Outbox = {
  publicUrl: 'https://hr.example.com',
  secrets,
  announce: (ids) => announced.push(...ids),
}
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
      `update api_key_usage set window_start = date_trunc('month', statement_timestamp()), requests_made = $2,
         last_window = date_trunc('month', statement_timestamp())
       where api_id = $1`,
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
/** What a user was told began and ended, without the names, oldest first. */
const linesTo = async (userId: string) => {
  const { rows } = await pool.query<{ email_id: string; content: Buffer }>(
    'select email_id, content from emails where user_id = $1 order by created_at',
    [toUuid(userId)],
  )
  return rows
    .flatMap(({ email_id: id, content }) => decryptContent(secrets, content, id).paragraphs)
    .filter((line) => typeof line === 'string' && /^(Began|Ended)/.test(line))
    .map((line) => (line as string).replace(/\u2068.*\u2069: /, '').replace(/\. .*/, '.'))
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
    t.match(text, `Ended: \u2068${key.name}\u2069: the quota is nearly used up.`)
    t.match(text, new RegExp(`Began: \u2068${key.name}\u2069: 100 of 100 calls are used\\. Calls are refused until`))
    t.match(text, `https://hr.example.com/settings/api-keys/${key.api_id}`, 'the same words and link as on the page')
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

await t.test('each administrator is told of each change once, whenever the others were', async (t) => {
  const { id, subscribe, useUp, admin, member } = await makeCompany('Two')
  await subscribe(true)
  await pool.query("update users set role = 'admin' where user_id = $1", [toUuid(member.user_id)])
  await changeAlerts({ pool, newId }, { companyId: id, actor: member.user_id }, true)
  await pool.query('update users set told_at = statement_timestamp() where user_id = $1', [toUuid(member.user_id)])
  await useUp(80)
  await check(id)
  await tell(id)
  t.strictSame(await linesTo(admin.user_id), ['Began: 80 of 100 calls are used.'])
  t.strictSame(await linesTo(member.user_id), [], 'the other was told a moment ago')
  await useUp(100)
  await check(id)
  await later(15)
  await tell(id)
  const rest = ['Ended: the quota is nearly used up.', 'Began: 100 of 100 calls are used.']
  t.strictSame(await linesTo(admin.user_id), ['Began: 80 of 100 calls are used.', ...rest])
  t.strictSame(await linesTo(member.user_id), ['Began: the quota is nearly used up.', ...rest], 'it ended meanwhile')
})

await t.test(
  'the subject says what needs attention when the message is written, whatever began or ended',
  async (t) => {
    const { id, subscribe, useUp, key, admin } = await makeCompany('Subjects')
    await useUp(100)
    const expire = (expiresAt: string | null) =>
      pool.query('update api_keys set expires_at = $2 where api_id = $1', [toUuid(key.api_id), expiresAt])
    await subscribe(true)
    const subjectAfter = async (...changes: (() => Promise<unknown>)[]) => {
      for (const change of changes) {
        await change()
        await check(id)
      }
      await later(15)
      await tell(id)
      const { length } = (await service.admin('/attention', admin.token)).body.items
      return `${(await mailsTo(id)).at(-1)!.subject} (${length})`
    }
    const soon = new Date(Date.now() + 86_400_000).toISOString()
    t.equal(await subjectAfter(() => expire(soon)), '2 problems need your attention (2)')
    t.equal(await subjectAfter(() => expire(null)), '1 problem needs your attention (1)', 'only an end, and one lasts')
    t.equal(
      await subjectAfter(
        () => expire(soon),
        () => expire(null),
      ),
      '1 problem needs your attention (1)',
    )
    t.equal(
      await subjectAfter(
        () => expire(soon),
        async () => Promise.all([expire(null), useUp(0)]),
      ),
      'Nothing needs your attention any more (0)',
      'it began and ended meanwhile',
    )
  },
)

await t.test('a long message lists the newest 20 changes, and says how many came before', async (t) => {
  const { id, subscribe, useUp } = await makeCompany('Long')
  await subscribe(true)
  for (let at = 0; at < 23; at += 1) {
    await useUp(at % 2 === 0 ? 100 : 0)
    await check(id)
  }
  await tell(id)
  const [mail] = await mailsTo(id)
  const told = mail!.paragraphs.filter((line) => typeof line === 'string' && /^(Began|Ended)/.test(line))
  t.equal(told.length, 20)
  t.match(told.at(-1), /^Began/, 'the newest is the last')
  t.match(mail!.paragraphs[0], '3 earlier changes are not listed here.')
})

await t.test('a kind that only another version knows stays as that version left it', async (t) => {
  const { id, subscribe, useUp, key } = await makeCompany('Versions')
  await subscribe(true)
  const item = { kind: 'key_shared', subject: { id: key.api_id, name: 'x' }, since: null, details: {} }
  await appendCompanyEvents(pool, { companyId: id, actor: SCHEDULE }, async (client) => {
    await client.query('insert into raised_attention (company_id, name, item) values ($1, $2, $3)', [
      ...[toUuid(id), `key_shared ${key.api_id}`, JSON.stringify(item)],
    ])
    const version = await nextVersion(client, id, id)
    const data = { kind: 'key_shared' as AttentionKind, subject_id: key.api_id }
    return { events: [{ type: 'AttentionRaised', stream: id, version, index: null, data }], result: null }
  })
  t.equal(await check(id), false)
  await useUp(100)
  await check(id)
  t.strictSame(await eventsOf(id), ['AttentionRaised key_shared', 'AttentionRaised quota_used'])
  await tell(id)
  const [mail] = await mailsTo(id)
  t.equal(mail!.subject, '2 problems need your attention')
  t.match(mail!.paragraphs[0], ': key shared.')
})

await t.test('what is raised stays raised while it lasts, however much more there is', async (t) => {
  const { id, useUp, key } = await makeCompany('Much')
  await useUp(100)
  await check(id)
  await pool.query(
    `with made as (
       insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, scopes, quota_limit,
         refresh_period, created_at)
       select company_id, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'Other', secret_hash, true, false, scopes, 10, 'monthly', created_at
       from api_keys, generate_series(1, 500) n where api_id = $1 returning company_id, api_id)
     insert into api_key_usage (company_id, api_id, window_start, requests_made, last_window)
     select company_id, api_id, date_trunc('month', statement_timestamp()), 10, date_trunc('month', statement_timestamp()) from made`,
    [toUuid(key.api_id)],
  )
  for (let at = 0; at < 3; at += 1) await check(id)
  const kinds = await eventsOf(id)
  t.strictSame([...new Set(kinds)], ['AttentionRaised quota_used'])
  t.equal(kinds.length, 1 + 200, 'the first 200')
  await pool.query('update api_key_usage set requests_made = 0 where company_id = $1', [toUuid(id)])
  for (let at = 0; at < 3; at += 1) await check(id)
  t.equal((await eventsOf(id)).filter((event) => event === 'AttentionResolved quota_used').length, 201)
})

await t.test('failed calls stay raised while there are more of them than are counted', async (t) => {
  const { id, key } = await makeCompany('Failing')
  await service.call('POST', '/v1/employees', { body: 'x', key })
  await service.project(id)
  await check(id)
  await pool.query(
    `insert into ${FAILURES_BY_HOUR}
     select company_id, hour + make_interval(hours => n), key_id, 'validation_failed', calls, records, refused, first_at,
       last_position + n, last_call_id
     from ${FAILURES_BY_HOUR}, generate_series(1, 10000) n where company_id = $1`,
    [toUuid(id)],
  )
  await check(id)
  t.strictSame(await eventsOf(id), ['AttentionRaised calls_failed', 'AttentionRaised calls_failed'])
})

await t.test('calls that were turned away stay raised while there are more of them than are read', async (t) => {
  const { id, key } = await makeCompany('Turned away')
  const turnAway = async (first: number, calls: number) =>
    pool.query(
      `with made as (
         insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, scopes, quota_limit,
           refresh_period, created_at)
         select company_id, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 1, 'Former', secret_hash, true,
           false, scopes, 10, 'monthly', created_at
         from api_keys, generate_series($2::integer, $2 + 199) n where api_id = $1 returning company_id, api_id)
       insert into turned_away_calls (company_id, api_id, hour, reason, calls, last_at)
       select company_id, api_id, date_trunc('hour', statement_timestamp()), 'former_secret', $3, statement_timestamp()
       from made`,
      [toUuid(key.api_id), first, calls],
    )
  await turnAway(10_001, 1)
  for (let at = 0; at < 2; at += 1) await check(id)
  await turnAway(10_301, 2)
  for (let at = 0; at < 2; at += 1) await check(id)
  t.strictSame([...new Set(await eventsOf(id))], ['AttentionRaised calls_turned_away'])
})

await t.test('nothing begins or ends while a new version of the log is filled', async (t) => {
  const { id, key, subscribe } = await makeCompany('Upgraded')
  await subscribe(true)
  await service.call('POST', '/v1/employees', { body: 'x', key })
  await service.project(id)
  const checkAll = () => checkAttention({ pool, db, outbox, log: pino({ level: 'silent' }) })
  await checkAll()
  const before = await eventsOf(id)
  t.strictSame(before, ['AttentionRaised calls_failed'])
  const { name, version } = BULK_USER_LOGS
  const moveVersion = (from: number, to: number) =>
    asSuperuser(
      service.urls.superUrl,
      `update projection_versions set version = ${to} where projection = '${name}' and version = ${from}`,
    )
  await moveVersion(version, 0)
  await pool.query(`delete from ${FAILURES_BY_HOUR} where company_id = $1`, [toUuid(id)])
  await checkAll()
  t.strictSame(await eventsOf(id), before)
  await moveVersion(0, version)
  await checkAll()
  t.strictSame(await eventsOf(id), [...before, 'AttentionResolved calls_failed'])
})
