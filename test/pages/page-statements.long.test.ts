import t from 'tap'
import { toUuid } from '../../src/domain/ids.ts'
import { countBlocks } from '../support/postgres/count-blocks.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { employee, startService } from '../support/service.ts'

/*
 * What each page costs the database: its statements, and the blocks (8 KiB) that they read. The first two statements are the
 * session and what needs attention. Counts, so that they are the same on every machine.
 */

const onePlan = CITUS_URL === undefined ? {} : { skip: 'on Citus, EXPLAIN does not say what the shards read' }
const PEOPLE = 120

const statements = watchStatements(t)
const service = await startService(t)
const { company, call, manage } = service
const people = Array.from({ length: PEOPLE }, () => employee({ last_name: 'Pérez' }))
const { body: made } = await call('POST', '/v1/employees', { body: people })
const { body: failed } = await call('POST', '/v1/employees', { body: [{}, employee({ phone: 'x' })] })
for (const { id } of made.employees) await call('PATCH', `/v1/employees/${id}`, { body: { job_title: 'Engineer' } })
const hook = await manage('POST', '/webhooks', { url: 'https://example.com/hook', types: ['employee.created'] })
await service.project()
const cookie = await cookieOf(service, company.admin)

const LOG = '/settings/bulk-user-logs'
const key = `/settings/api-keys/${company.key.api_id}`
const webhook = `/settings/webhooks/${hook.body.id}`
const user = `/settings/users/${company.member.user_id}`
const [person] = made.employees

/** Pages that show no list: the most statements of each. */
const WITHOUT_LIST: Record<string, number> = {
  '/settings/users/new': 2,
  '/settings/sign-in/new': 2,
  '/settings/employees/erase': 2,
  '/settings/employees/personal-data': 2,
  '/settings/search': 2,
  '/docs': 2,
  '/problems': 2,
  '/verify': 2,
  '/settings/webhooks/new': 3,
  '/settings/company': 3,
  '/settings/sign-in': 3,
  '/settings/ledger/evidence': 3,
  [`${LOG}/upload`]: 3,
  [`${key}/revoke`]: 3,
  [`${webhook}/remove`]: 3,
  [`${user}/reset-password`]: 3,
  [`${user}/remove`]: 3,
  [`${user}/erase`]: 3,
  '/account/passkeys/new': 4,
  '/account/recovery-codes': 4,
}

/** Pages that count the active people, so that they read more where there are more of them. */
const COUNTING_PEOPLE: Record<string, number> = {
  // The limit that it proposes is a share of the people.
  '/settings/api-keys/new': 4,
}

const WITH_LIST: Record<string, number> = {
  '/settings/employees': 4,
  '/settings/search?q=perez': 2,
  '/settings/employees?q=perez': 4,
  '/settings/users': 3,
  '/settings/api-keys': 3,
  '/settings/webhooks': 4,
  [`${webhook}/deliveries`]: 4,
  [key]: 7,
  [webhook]: 5,
  '/settings/events/1': 5,
  '/settings/ledger': 5,
  [user]: 6,
  '/settings/usage': 8,
  [`${LOG}/refusals`]: 7,
  '/settings/health': 8,
  '/settings/events': 8,
  [LOG]: 10,
  [`${LOG}?status=Failed`]: 7,
  [`${LOG}/${made.log_id}/records/0`]: 8,
  '/account': 9,
  [`${LOG}?employee=${person.email}`]: 11,
  [`${LOG}?q=perez`]: 11,
  [`${LOG}?q=invalid_format`]: 11,
  [`${LOG}?q=127.0.0.1`]: 11,
  [`/settings/employees/${person.id}`]: 10,
  [`${LOG}/${made.log_id}`]: 11,
  [`${LOG}/${failed.log_id}`]: 11,
  [`${LOG}/${failed.log_id}/fix`]: 8,
  [`/settings/employees/${person.id}/edit`]: 5,
  '/settings/employees?only=no_external_id&order=name': 3,
}

/**
 * `everywhere` is for the last calls of 1,000 keys that expect calls, which every page reads; `usage` is for what each of
 * 6,000 keys has used, besides.
 */
const MAX_BLOCKS = { withoutList: 80, countingPeople: 90, withList: 1_500, everywhere: 25_000, usage: 40_000 }

/** Opens a page, and returns the statements that it sends. */
async function openOnce(path: string) {
  statements.length = 0
  const { status } = await browse(service, path, { cookie })
  if (status !== 200) throw new Error(`${path} got ${status}`)
  return [...statements]
}

const TRIES = 3

/**
 * Of some tries, that with the fewest statements counts: the process sends some by itself, such as for the clock. One try
 * is enough if it sends no more than wanted.
 */
async function open(path: string, wanted = 0) {
  let fewest = await openOnce(path)
  for (let tries = 1; tries < TRIES && fewest.length > wanted; tries += 1) {
    const sent = await openOnce(path)
    if (sent.length < fewest.length) fewest = sent
  }
  return fewest
}

for (const [name, pages, maxBlocks] of [
  ['a page without a list sends at most four statements, and reads few blocks', WITHOUT_LIST, MAX_BLOCKS.withoutList],
  [
    'a page that counts people sends at most four statements, and reads little of each',
    COUNTING_PEOPLE,
    MAX_BLOCKS.countingPeople,
  ],
  ['a page with a list sends few statements, and reads what it shows', WITH_LIST, MAX_BLOCKS.withList],
] as const) {
  await t.test(name, onePlan, async (t) => {
    for (const [path, most] of Object.entries(pages)) {
      // The first time, a page may look up what is kept.
      await openOnce(path)
      const sent = await open(path, most)
      t.ok(sent.length <= most, `${path}: ${sent.length} statements, of at most ${most}`)
      t.equal(sent.filter(({ text }) => text.includes('from sessions s')).length, 1, `${path} finds the session once`)
      const blocks = await countBlocks(service.pool, sent)
      t.ok(blocks <= maxBlocks, `${path}: ${blocks} blocks, of at most ${maxBlocks}`)
    }
  })
}

await t.test('failed calls are not read for what needs attention', onePlan, async (t) => {
  const blocksOf = async () => countBlocks(service.pool, await open('/settings/users/new'))
  const before = await blocksOf()
  for (let calls = 0; calls < 300; calls += 50)
    await Promise.all(Array.from({ length: 50 }, () => call('POST', '/v1/employees', { body: [{}] })))
  await service.project()
  // What updates have left of rows would be read, too.
  await runSql(service.urls.superUrl, 'vacuum')
  t.ok((await blocksOf()) <= before + 20)
})

await t.test(
  'the causes of refused records are read for the same, however many records there are',
  onePlan,
  async (t) => {
    const blocksOf = async () => countBlocks(service.pool, await open(`${LOG}/refusals`))
    const before = await blocksOf()
    for (let calls = 0; calls < 100; calls += 20)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          call('POST', '/v1/employees', { body: Array.from({ length: 50 }, () => ({})) }),
        ),
      )
    await service.project()
    await runSql(service.urls.superUrl, 'vacuum')
    const after = await blocksOf()
    t.ok(after <= before + 60, `${after} blocks after 5,000 more records, ${before} before`)
  },
)

await t.test('a page costs the same, however many keys there are that need nothing', onePlan, async (t) => {
  const pages = ['/settings/users/new', '/settings/api-keys/new', '/settings/api-keys', key]
  const measure = async () => {
    await runSql(service.urls.superUrl, 'vacuum analyze')
    const blocks = []
    for (const path of pages) blocks.push(await countBlocks(service.pool, await open(path)))
    return blocks
  }
  const before = await measure()
  const id = toUuid(company.key.api_id)
  // Keys that are new, that were used long ago, that were revoked, and that are disabled.
  await service.pool.query(
    `insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, scopes, quota_limit,
       refresh_period, created_at)
     select company_id, overlay(overlay(api_id::text placing '0' from 1 for 1) placing lpad(n::text, 12, '0') from 25)::uuid,
       1, 'Other', secret_hash, n % 4 <> 3, n % 4 = 2, scopes, 1000, 'daily', created_at
     from api_keys, generate_series(1, 6000) n where api_id = $1`,
    [id],
  )
  await service.pool.query(
    `insert into api_key_usage (company_id, api_id, window_start, requests_made, last_used, last_window)
     select u.company_id, k.api_id, case when is_old then u.window_start - interval '90 days' else u.window_start end,
       case when is_old then 1000 else 0 end, case when is_old then u.last_used - interval '90 days' end,
       case when is_old then u.window_start - interval '90 days' end
     from api_key_usage u join api_keys k on k.company_id = u.company_id
       cross join lateral (select right(k.api_id::text, 12)::bigint % 4 = 1 as is_old) made
     where u.api_id = $1 and k.name = 'Other'`,
    [id],
  )
  const after = await measure()
  for (const [at, path] of pages.entries())
    t.ok(after[at]! <= before[at]! + 60, `${path}: ${after[at]} blocks with 6,000 more keys, ${before[at]} before`)
})

await t.test('keys that expect calls take one more statement', async (t) => {
  await manage('PATCH', `/api-keys/${company.key.api_id}`, { expected_calls: { every_hours: 12 } })
  t.equal((await open('/settings/users/new')).length, 3)
})

/** Fills what a company may have of everything but keys, of which the test above has as many. */
async function fillLists() {
  const ofCompany = [toUuid(company.id)]
  const insert = async (statement: string) => service.pool.query(statement, ofCompany)
  const id = (from = '$1') => `overlay(${from}::text placing lpad(n::text, 12, '0') from 25)::uuid`
  // All webhooks fail since the beginning of the ledger.
  await insert(`insert into webhooks (company_id, webhook_id, version, url, description, types, include_data,
      concurrency, status, secret, created_at)
    select company_id, ${id('webhook_id')}, 1, url, 'Other', types, include_data, concurrency, status, secret, created_at
    from webhooks, generate_series(2, 20) n where company_id = $1`)
  await insert(`insert into webhook_progress (company_id, webhook_id, position, attempts, failing_since, due_at, error)
    select company_id, webhook_id, 0, 3, now() - interval '1 hour', now() + interval '1 hour', 'status 500'
    from webhooks where company_id = $1
    on conflict (company_id, webhook_id) do update set position = 0, failing_since = excluded.failing_since`)
  await insert(`insert into users (company_id, user_id, version, email, name, role, created_at)
    select $1::uuid, ${id()}, 1, 'u' || n || '@example.com', 'Other', 'member', now()
    from generate_series(1, 2000) n`)
  // Of each user, tokens that work, and others that were revoked.
  await insert(`insert into user_tokens (company_id, token_hash, token_id, user_id, name, created_at, expires_at, revoked_at)
    select company_id, sha256(n::text::bytea), ${id('company_id')}, user_id, 'Other', now(), now() + interval '1 year',
      case when nth > 18 then now() end
    from (select u.*, nth, row_number() over () as n from users u, generate_series(1, 40) nth where company_id = $1) u`)
  await insert(`insert into upload_mappings (company_id, header_hash, mapping, used_at)
    select $1::uuid, sha256(n::text::bytea), '{"columns": []}', now() from generate_series(1, 1000) n`)
  await insert(`insert into attention_snoozes (company_id, name, item, until, reason, actor)
    select $1::uuid, 'webhook_failing ' || n, json_build_object('kind', 'webhook_failing', 'since', now(),
      'subject', json_build_object('id', 'whk_' || n, 'name', 'Other'), 'details', json_build_object('error', 'x')),
      '2999-01-01', 'It passes', 'operator' from generate_series(1, 100) n`)
  await insert(`insert into identity_providers (company_id, provider_id, version, name, issuer, client_id, client_auth,
      creates_users, roles, use, secret, created_at, failing_since, fault)
    select $1::uuid, ${id()}, 1, 'Okta', 'https://idp.example', 'x', 'client_secret', false, '[]', 'optional',
      '', now(), now() - interval '1 hour', 'unreachable' from generate_series(1, 1) n`)
  await insert(`update api_keys set expected_calls = '{"every_hours": 12}', expected_since = now()
    where company_id = $1 and api_id in (select api_id from api_keys where company_id = $1 and is_enabled limit 1000)`)
  await runSql(service.urls.superUrl, 'vacuum analyze')
}

/** Pages about the provider, which is there now. */
const OF_PROVIDER = { '/settings/sign-in': 7 }

await t.test('a page costs little more where every list is as long as it can be', onePlan, async (t) => {
  await fillLists()
  const pages = { ...WITHOUT_LIST, ...COUNTING_PEOPLE, ...WITH_LIST, '/settings/attention': 3, ...OF_PROVIDER }
  for (const [path, most] of Object.entries(pages)) {
    await openOnce(path)
    // The last calls of keys that expect calls are read in a statement of their own.
    const sent = await open(path, most + 1)
    t.ok(sent.length <= most + 1, `${path}: ${sent.length} statements, of at most ${most + 1}`)
    const blocks = await countBlocks(service.pool, sent)
    const maxBlocks = path === '/settings/usage' ? MAX_BLOCKS.usage : MAX_BLOCKS.everywhere
    t.ok(blocks <= maxBlocks, `${path}: ${blocks} blocks, of at most ${maxBlocks}`)
  }
})
