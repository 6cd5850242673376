import { pino } from 'pino'
import t from 'tap'
import { beginSession } from '../../../src/accounts/users/sessions.ts'
import { generateSecret, hashSecret } from '../../../src/accounts/users/new-secret.ts'
import { prefixOfSecret } from '../../../src/domain/accounts/secrets.ts'
import { forgetOldSignIns } from '../../../src/accounts/users/sign-in-records.ts'
import { recordSignIns, createFailedSignIns } from '../../../src/accounts/sign-in/record-sign-ins.ts'
import type { EventData } from '../../../src/domain/events.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { inCompany } from '../../../src/postgres/company-scope.ts'
import { eventually } from '../../support/eventually.ts'
import { signInByPassword } from '../../support/http/passkeys.ts'
import { browse, OWN_PAGE } from '../../support/http/sessions.ts'
import { countUnrecorded, signInsOf } from '../../support/http/sign-in-events.ts'
import { openVisitor } from '../../support/http/visitor.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { notAtTheEndOfAnHour } from '../../support/postgres/end-of-hour.ts'
import { holdHead, letGo } from '../../support/postgres/held-rows.ts'
import { startService, type TestCompany } from '../../support/service.ts'
import { earlier } from '../../support/postgres/move-back.ts'

/* What the ledger and the pages keep of sign-ins, whatever else happens. */

const SETTINGS = { SIGN_IN_LIMIT: '0', SIGN_IN_ADDRESS_LIMIT: '0', TRUST_PROXY: '127.0.0.1', SESSION_HOURS: '1' }
const service = await startService(t, SETTINGS)
const { pool } = service
const other = await startService(t, SETTINGS, { urls: service.urls })
const log = pino({ level: 'silent' })
/** What the schedule does, in each of two processes. */
const record = async () => {
  await Promise.all([pool, pool, other.pool].map((connections) => recordSignIns({ pool: connections, log })))
}
const newsOf = (company: TestCompany) => signInsOf(service, { companyId: company.id, userId: company.member.user_id })
const signIn = ({ id, member }: TestCompany) => signInByPassword(service, member, id)
const from = (address: string, program: string) => ({
  headers: { ...OWN_PAGE, 'x-forwarded-for': address, 'user-agent': program },
})
const failFrom = async (address: string, { id, member }: TestCompany, email = member.email) => {
  const form = { email, password: 'not the password', company: id }
  return (await browse(service, '/sign-in', { form, ...from(address, 'guesser/1.0') })).status
}
const rowsOf = async (table: string, { id }: TestCompany) =>
  (await pool.query(`select * from ${table} where company_id = $1`, [toUuid(id)])).rows
/** As if so many hours had passed since the failures that are not recorded. */
const later = (hours: number) =>
  pool.query(
    `update failed_sign_ins set hour = ${earlier('hour', 'make_interval(hours => $1)')} where not is_recorded`,
    [hours],
  )

await t.test('while the ledger is held, a sign-in works, and its event follows once', async (t) => {
  const company = await service.makeCompany('Held')
  const holder = await holdHead(service, company)
  const visitor = await signIn(company)
  t.ok(await visitor.isIn())
  t.match(await visitor.visit('/sign-out', {}), { status: 303 })
  t.equal(await countUnrecorded(service, company.id), 2)
  t.strictSame(await newsOf(company), [])
  await letGo(holder)
  await record()
  t.strictSame(await newsOf(company), ['UserSignedIn password', 'UserSignedOut'])
  t.equal(await countUnrecorded(service, company.id), 0)
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test(
  'however many sign in while the ledger is held, they take one connection, and others do not wait',
  async (t) => {
    const [company, neighbor] = [await service.makeCompany('Crowd'), await service.makeCompany('Neighbor')]
    const holder = await holdHead(service, company)
    await Promise.all(Array.from({ length: 8 }, () => signIn(company)))
    const { rows } = await inCompany(company.id, () =>
      pool.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%heads%'`,
      ),
    )
    t.ok(rows[0]!.count <= 1, `${rows[0]!.count} wait`)
    t.match(
      await service.manage('PATCH', `/users/${neighbor.member.user_id}`, { role: 'auditor' }, neighbor.admin.token),
      {
        status: 200,
      },
    )
    await letGo(holder)
    await record()
    t.strictSame(
      await newsOf(company),
      Array.from({ length: 8 }, () => 'UserSignedIn password'),
    )
  },
)

await t.test('if the process dies after a sign-in, another one records it, once', async (t) => {
  const company = await service.makeCompany('Died')
  const { rows } = await pool.query<{ password_hash: string }>('select password_hash from users where user_id = $1', [
    toUuid(company.member.user_id),
  ])
  const proof = { method: 'password', passwordHash: rows[0]!.password_hash, beside: 'nothing' } as const
  const session = { hours: 1, userAgent: 'browser/1.0', address: '203.0.113.9' }
  const user = { companyId: company.id, userId: company.member.user_id }
  const cookies = await Promise.all([1, 2, 3].map(() => beginSession(pool, user, proof, session)))
  t.equal(new Set(cookies).size, 3)
  t.strictSame(await newsOf(company), [])
  await record()
  await record()
  t.strictSame(
    await newsOf(company),
    Array.from({ length: 3 }, () => 'UserSignedIn password'),
  )
  const event = (await streamOf(service, company.member.user_id, company.id)).at(-1)!
  const clients = await pool.query(
    `select c.address from events e join actor_clients c on c.company_id = e.company_id and c.client_id = e.client_id
     where e.company_id = $1 and e.position = $2`,
    [toUuid(company.id), event.position],
  )
  t.strictSame(clients.rows, [{ address: '203.0.113.9' }])
})

await t.test('a session that a process of version 1.0.0 started works, and its end is recorded', async (t) => {
  const company = await service.makeCompany('Beside')
  const visitor = await signIn(company)
  // That version writes the session, and nothing beside it.
  const { rows } = await pool.query('select * from sessions where company_id = $1', [toUuid(company.id)])
  const cookie = generateSecret(prefixOfSecret('session', company.id))
  await service.db
    .insertInto('sessions')
    .values({ ...rows[0], session_hash: hashSecret(cookie) })
    .execute()
  visitor.cookies.set('session', cookie)
  t.ok(await visitor.isIn())
  await visitor.visit('/sign-out', {})
  t.strictSame(await newsOf(company), ['UserSignedIn password', 'UserSignedOut'])
})

await t.test('sign-ins to an unknown address leave nothing', async (t) => {
  const company = await service.makeCompany('Unknown')
  const count = async () => (await pool.query('select 1 from failed_sign_ins')).rows.length
  const before = await count()
  t.equal(await failFrom('198.51.100.1', company, 'nobody@example.com'), 401)
  t.equal(await failFrom('198.51.100.1', company), 401)
  await eventually('the failure of the member', async () => (await rowsOf('failed_sign_ins', company)).length === 1)
  t.equal(await count(), before + 1)
})

await t.test('failed sign-ins of an hour are one event of the user, after the hour', async (t) => {
  const company = await service.makeCompany('Attacked')
  await notAtTheEndOfAnHour(pool)
  for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) await failFrom(address, company)
  await eventually('three failures', async () => (await rowsOf('failed_sign_ins', company))[0]?.password === 3)
  t.match(await rowsOf('failed_sign_ins', company), [{ address: '198.51.100.3', user_agent: 'guesser/1.0' }])
  await record()
  t.strictSame(await newsOf(company), [], 'the hour is not over')
  await later(2)
  await record()
  t.strictSame(await newsOf(company), ['UserSignInFailed {"password":3}'])
  const event = (await streamOf(service, company.member.user_id, company.id)).at(-1)!
  t.match(event, { actor: 'schedule', data: { hour: /T\d\d:00:00\.000Z$/ } })
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('whatever an attacker tries, a user gets one row and one event an hour', async (t) => {
  const company = await service.makeCompany('Flooded')
  await notAtTheEndOfAnHour(pool)
  const user = { companyId: company.id, userId: company.member.user_id }
  const failures = createFailedSignIns(pool, (error) => t.fail(String(error)))
  const elsewhere = createFailedSignIns(other.pool, (error) => t.fail(String(error)))
  for (let hours = 1; hours <= 4; hours += 1) {
    for (let tried = 0; tried < 2_500; tried += 1) {
      const client = { address: `198.51.${tried % 250}.1`, userAgent: `guesser/${tried}` }
      ;(tried % 2 === 0 ? failures : elsewhere).count(user, tried % 5 === 0 ? 'recovery_code' : 'password', client)
    }
    await Promise.all([failures.flush(), elsewhere.flush()])
    await later(2 * hours)
    await record()
  }
  const events = (await streamOf(service, user.userId, user.companyId)).slice(-4)
  t.match(
    events,
    Array.from({ length: 4 }, () => ({ type: 'UserSignInFailed' })),
  )
  const data = events.map((event) => event.data as EventData['UserSignInFailed'])
  t.strictSame(
    data.map(({ attempts }) => attempts),
    Array.from({ length: 4 }, () => ({ password: 2_000, recovery_code: 500 })),
  )
  t.equal(new Set(data.map(({ hour }) => hour)).size, 4)
  t.equal((await newsOf(company)).length, 4)
  t.equal((await rowsOf('failed_sign_ins', company)).length, 4)
  t.equal(
    (await rowsOf('actor_clients', company)).length,
    0,
    'from where others failed is not from where the user acts',
  )
})

await t.test('of a company whose users are all attacked, a hundred an hour are in the ledger', async (t) => {
  const company = await service.makeCompany('Sprayed')
  await pool.query(
    `insert into users (company_id, user_id, version, email, name, role, created_at)
     select $1, gen_random_uuid(), 1, n || '@sprayed.example', 'S', 'member', now() from generate_series(1, 150) n`,
    [toUuid(company.id)],
  )
  await pool.query(
    `insert into failed_sign_ins (company_id, user_id, hour, password, passkey, recovery_code, last_at)
     select company_id, user_id, date_trunc('hour', now()) - interval '1 day', row_number() over (), 0, 0, now()
     from users where company_id = $1`,
    [toUuid(company.id)],
  )
  await record()
  const { rows } = await pool.query<{ data: string }>(
    `select data from events where company_id = $1 and type = 'UserSignInFailed'`,
    [toUuid(company.id)],
  )
  t.equal(rows.length, 100)
  const counts = rows.map(({ data }) => (JSON.parse(data) as { attempts: { password: number } }).attempts.password)
  t.equal(Math.min(...counts), 54, 'those with the most attempts')
  t.ok((await rowsOf('failed_sign_ins', company)).every((row) => row.is_recorded))
})

await t.test('pages and the admin endpoint show the last sign-in and the failed ones', async (t) => {
  const company = await service.makeCompany('Shown')
  const { admin, member, id } = company
  const path = `/users/${member.user_id}`
  const atFirst = await service.manage('GET', path, undefined, admin.token)
  t.equal(atFirst.body.last_sign_in_at, null)
  const visitor = openVisitor(service)
  const form = { email: member.email, password: member.password, company: id }
  await visitor.visit('/sign-in', form, from('203.0.113.7', 'browser <b>'))
  await failFrom('198.51.100.66', company)
  await eventually('the failure', async () => (await rowsOf('failed_sign_ins', company)).length === 1)
  const { body } = await service.manage('GET', path, undefined, admin.token)
  const [row] = await rowsOf('last_sign_ins', company)
  t.equal(body.last_sign_in_at, row.signed_in_at)
  const page = await signInByPassword(service, admin, id)
  const { text } = await page.visit(`/settings${path}`)
  t.match(text, /Last sign-in<\/dt>\s*<dd>[^]*, with a password/)
  t.match(text, '203.0.113.7')
  t.match(text, 'browser &lt;b&gt;')
  t.match(text, /once with a wrong password<\/td>[^]*198\.51\.100\.66/)
  t.match((await page.visit('/settings/users')).text, `data-label="Last sign-in"><time datetime="${row.signed_in_at}"`)
  const [event] = (await streamOf(service, member.user_id, id)).slice(-1)
  t.match((await page.visit(`/settings/events/${event!.position}`)).text, /Sent from<\/dt>\s*<dd>203\.0\.113\.7/)
  const list = await page.visit(`/settings/events?id=${member.user_id}&type=signIns`)
  t.match(list.text, /signed in with a password/)
})

const addressesOf = async (company: TestCompany) => {
  const tables = ['session_events', 'last_sign_ins', 'failed_sign_ins', 'actor_clients']
  const rows = await Promise.all(tables.map((table) => rowsOf(table, company)))
  return rows.map((ofTable) =>
    ofTable.filter(({ address }) => address !== null).map(({ address }) => address as string),
  )
}

await t.test('from where a user signed in goes with the erasure of the user', async (t) => {
  const company = await service.makeCompany('Erased')
  const { member, admin } = company
  await failFrom('198.51.100.66', company)
  await eventually('the failure', async () => (await rowsOf('failed_sign_ins', company)).length === 1)
  const form = { email: member.email, password: member.password, company: company.id }
  await openVisitor(service).visit('/sign-in', form, from('203.0.113.7', 'browser/1.0'))
  const holder = await holdHead(service, company)
  await openVisitor(service).visit('/sign-in', form, from('203.0.113.8', 'browser/1.0'))
  await letGo(holder)
  const manage = (method: 'POST' | 'DELETE', path: string) => service.manage(method, path, undefined, admin.token)
  t.equal((await manage('DELETE', `/users/${member.user_id}`)).status, 204)
  t.equal((await manage('POST', `/users/${member.user_id}/erase`)).status, 200)
  await record()
  const [, last, failed, clients] = await addressesOf(company)
  t.strictSame([last, failed], [[], []])
  t.notOk(
    clients!.some((address) => address.startsWith('203.0.113')),
    'also what was recorded late',
  )
  t.strictSame(await ledgerFaults(service.db, company.id), [])
})

await t.test('from where users signed in is deleted after a while', async (t) => {
  const company = await service.makeCompany('Old')
  await signIn(company)
  await failFrom('198.51.100.66', company)
  await eventually('the failure', async () => (await rowsOf('failed_sign_ins', company)).length === 1)
  const forget = () => forgetOldSignIns(pool, 7)
  await forget()
  t.match(await addressesOf(company), [[], [/./], ['198.51.100.66']])
  await pool.query(`update last_sign_ins set signed_in_at = ${earlier('signed_in_at', "interval '8 days'")}`)
  await pool.query(`update failed_sign_ins set last_at = ${earlier('last_at', "interval '8 days'")}`)
  await forget()
  t.match(await addressesOf(company), [[], [], []])
  t.equal((await rowsOf('last_sign_ins', company)).length, 1, 'when it was stays')
})
