import fc from 'fast-check'
import t from 'tap'
import { readProvider } from '../../src/accounts/providers/providers.ts'
import { linkOwnIdentity } from '../../src/accounts/sign-in/sign-in-through-provider.ts'
import type { ProviderIdentity } from '../../src/accounts/oidc/provider-client.ts'
import { removeUser, addUser, type AddedUser } from '../../src/accounts/users/change-user.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { eraseUser } from '../../src/personal-data/erase-user.ts'
import { OPERATOR } from '../../src/ledger/append/append-company-events.ts'
import { addPasskey, signInByPassword, WITH_PASSKEYS } from '../support/http/passkeys.ts'
import { browse, OWN_PAGE, issueToken } from '../support/http/sessions.ts'
import { openAppends } from '../support/ledger/appends.ts'
import { uploadCall } from '../support/ledger/calls.ts'
import { erasableTexts, itemsOf, report, withoutErasable } from '../support/personal-data.ts'
import { rowsWith } from '../support/postgres/rows-with.ts'
import { giveProvider, WITH_PROVIDERS } from '../support/providers/company-provider.ts'
import { startTestProvider } from '../support/providers/test-provider.ts'
import { inputs } from '../support/quick.ts'
import { employee, startService } from '../support/service.ts'

/*
 * What a report lists of a user is what removing and erasing the user removes, whatever they did: every row of any table
 * that holds a value of the user is listed; afterwards no table holds a listed value, the rows of others are as before, and
 * a report lists what was to stay.
 */

const idp = await startTestProvider(t)
const service = await startService(t, { ...WITH_PASSKEYS, ...WITH_PROVIDERS })
const { company, pool } = service
const { commit } = openAppends(t, service)
await giveProvider(service, company, idp)

/** What the values of the user contain. The erasures of the users before leave none. */
const MARK = 'zq-can'

const makeUser = () => {
  const person = { email: `${MARK}@zorb.example`, name: `${MARK} person`, role: 'admin' as const }
  return addUser({ pool, newId }, { companyId: company.id, ...person })
}

/** Inserts a row of a table, of a user. */
async function insert(table: string, user: Record<string, string>, values: Record<string, unknown>) {
  const row = { company_id: toUuid(company.id), ...user, ...values }
  const places = Object.keys(row).map((_, at) => `$${at + 1}`)
  await pool.query(
    `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  )
}

const CLIENT = { address: '192.0.2.7', user_agent: `${MARK} browser` }
const NOW = new Date().toISOString()

/** What a user does or what happens to them, and the section that lists it. */
const DEEDS: Record<string, (user: AddedUser) => Promise<unknown>> = {
  tokens: (user) => issueToken(service, user, { name: `${MARK} laptop`, expires_in_days: 7 }),
  passkeys: async (user) => addPasskey(await signInByPassword(service, user), user.password, { name: `${MARK} key` }),
  sessions: async ({ email, password }) =>
    browse(service, '/sign-in', {
      form: { email, password },
      headers: { ...OWN_PAGE, 'user-agent': `${MARK} browser` },
    }),
  account: async ({ user_id: actor }) => {
    const provider = (await readProvider(pool, company.id))!
    const identity = { issuer: idp.issuer, subject: `${MARK} ${actor}` } as ProviderIdentity
    await linkOwnIdentity({ pool, newId }, { companyId: company.id, actor }, { provider, identity, linkHash: null })
  },
  waiting_sign_ins: ({ user_id: id }) =>
    insert(
      'session_events',
      { user_id: toUuid(id), actor: id },
      { event_id: crypto.randomUUID(), type: 'UserSignedOut', data: {}, ...CLIENT, happened_at: NOW },
    ),
  failed_sign_ins: ({ user_id: id }) =>
    insert(
      'failed_sign_ins',
      { user_id: toUuid(id) },
      { hour: NOW, password: 1, passkey: 0, recovery_code: 0, last_at: NOW, ...CLIENT },
    ),
  emails: ({ user_id: id }) =>
    insert(
      'emails',
      { user_id: toUuid(id) },
      {
        email_id: crypto.randomUUID(),
        kind: 'alert',
        state: 'waiting',
        content: Buffer.from(`${MARK} sealed`),
        created_at: NOW,
        due_at: NOW,
        give_up_at: NOW,
      },
    ),
  uploaded_files: async ({ user_id: userId }) =>
    commit([uploadCall(company, [employee()], { userId, fileName: `${MARK} staff.csv` })]),
}

/** The table that a section lists. */
const TABLES: Record<string, string> = {
  account: 'users',
  tokens: 'user_tokens',
  passkeys: 'passkeys',
  recovery_codes: 'recovery_codes',
  sessions: 'sessions',
  waiting_sign_ins: 'session_events',
  last_sign_in: 'last_sign_ins',
  failed_sign_ins: 'failed_sign_ins',
  addresses: 'actor_clients',
  emails: 'emails',
  personal_events: 'events',
}

/** A sign-in that waits is on its way to the ledger, and its address to the addresses. */
const sectionsOf = (deed: string) => (deed === 'waiting_sign_ins' ? [deed, 'addresses'] : [deed])

/** The rows of all users but one. */
async function readOthers(userId: string): Promise<string[]> {
  const lines: string[] = []
  for (const table of Object.values(TABLES).filter((name) => name !== 'events')) {
    const user = table === 'actor_clients' ? 'actor_id' : 'user_id'
    const { rows } = await pool.query<{ line: string }>(
      `select t::text as line from ${table} t where ${user} <> $1 order by 1`,
      [toUuid(userId)],
    )
    lines.push(...rows.map(({ line }) => `${table}: ${line}`))
  }
  return lines
}

const acting = { companyId: company.id, actor: OPERATOR }

await t.test('a report of a user lists what an erasure removes, whatever the user did', async (t) => {
  const property = fc.asyncProperty(fc.shuffledSubarray(Object.keys(DEEDS), { minLength: 2 }), async (deeds) => {
    const user = await makeUser()
    const { user_id: id } = user
    for (const name of deeds) await DEEDS[name]!(user)
    const before = await report(service, { user_id: id })
    for (const name of deeds) t.ok(itemsOf(before, ...sectionsOf(name)).length > 0, `${name} is listed`)

    const holding = await rowsWith(service.urls.superUrl, [MARK])
    const listed = Object.entries(before.sections).flatMap(([name, { items }]) =>
      items.length > 0 ? sectionsOf(name).flatMap((one) => TABLES[one] ?? []) : [],
    )
    const tables = new Set(holding.map((line) => /^public\.(\w+)/.exec(line)?.[1]))
    t.strictSame(
      [...tables].filter((table) => !listed.includes(table!)),
      [],
      'every row with a value is listed',
    )
    const positions = itemsOf(before, 'personal_events', 'uploaded_files').map(({ position }) => String(position))
    const ofEvents = holding.filter((line) => line.startsWith('public.events: ')).map((line) => line.split(',')[1]!)
    t.strictSame(
      ofEvents.filter((position) => !positions.includes(position)),
      [],
      'every event with a value is listed',
    )

    const others = await readOthers(id)
    await removeUser({ pool, newId }, acting, id)
    await eraseUser({ pool, newId }, acting, id)
    t.strictSame(await readOthers(id), others, 'the rows of others are as before')
    const words = [...new Set(erasableTexts(before).filter((text) => text.includes(MARK)))]
    t.ok(words.length > 0, 'the report lists values')
    t.strictSame(await rowsWith(service.urls.superUrl, words), [], 'no table holds a listed value')

    const after = await report(service, { user_id: id })
    t.equal(after.facts['standing'], 'erased')
    t.strictSame(
      erasableTexts(after).filter((text) => text.includes(MARK)),
      [],
      'the report of what is left has no value',
    )
    const [left, expected] = [withoutErasable(after), withoutErasable(before)]
    for (const name of ['personal_events', 'uploaded_files', 'last_sign_in', 'failed_sign_ins'])
      t.strictSame(left[name], expected[name], `${name} says what stays`)
  })
  await t.resolves(fc.assert(property, { numRuns: inputs(5, 12), endOnFailure: true }))
})
