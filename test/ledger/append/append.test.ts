import t from 'tap'
import { openPool } from '../../../src/postgres/pool.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { UnavailableError } from '../../../src/admission/batcher.ts'
import { settleOutcome, UnknownOutcomeError } from '../../../src/ledger/append/settle-outcome.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const create = (body: unknown) => service.call('POST', '/v1/employees', { body })

const setUp = (...statements: string[]) => asSuperuser(service.urls.superUrl, ...statements)

await t.test('calls of every kind leave a valid ledger', async (t) => {
  const { body } = await create([employee(), employee({ external_id: 'A' }), employee()])
  const [a, b] = body.employees
  await create({})
  await service.call('PATCH', `/v1/employees/${a.id}`, {
    body: { status: 'inactive', job_title: 'X', custom_attributes: { '10': 1, é: 'ü' } },
  })
  await service.call('PATCH', '/v1/employees', {
    body: [
      { id: a.id, email: b.email },
      { external_id: 'A', email: a.email },
    ],
  })
  await service.call('PATCH', '/v1/employees', { body: [{ id: a.id, status: null }] })
  await service.call('PATCH', `/v1/employees/${a.id}`, { body: '{' })
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test("a company's time never goes back, even if the database's clock does", async (t) => {
  const later = '2200-01-01T00:00:00.000Z'
  const { body: before } = await create(employee())
  await service.pool.query('update heads set recorded_at = $1', [later])
  const { body } = await create(employee())
  t.equal(body.employees[0].created_at, later)
  t.ok(before.employees[0].created_at < later)
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('a call that the database refuses gets 500 and an entry; others in its commit succeed', async (t) => {
  await setUp(`create function refuse_poison() returns trigger language plpgsql as $$
    begin raise exception 'poison' using errcode = 'check_violation'; end $$`)
  await setUp(`create trigger poison before insert on employee_directory for each row
    when (new.email like 'poison%') execute function refuse_poison()`)
  const calls = Array.from({ length: 20 }, (_, at) => create(employee(at === 7 ? { email: 'poison@example.com' } : {})))
  const answers = await Promise.all(calls)
  t.strictSame(
    answers.map(({ status }) => status),
    answers.map((_, at) => (at === 7 ? 500 : 201)),
  )
  const { body } = answers[7]!
  t.match(body, { code: 'internal_error', detail: 'The call failed on our side; nothing was applied' })
  const { entry } = await service.logOf(body.log_id)
  t.match(entry, { status: 'Failed', http_status: 500, counts: { total: 1, failed: 1 } })
  await setUp('drop trigger poison on employee_directory')
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('if a backend dies in COMMIT, its calls get 503 and are not stored; the next call works', async (t) => {
  const head = async () => (await service.db.selectFrom('heads').select('position').executeTakeFirstOrThrow()).position
  const before = await head()
  await setUp(`create function die() returns trigger language plpgsql security definer as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
  await setUp(`create constraint trigger die after insert on events deferrable initially deferred
    for each row execute function die()`)
  const answer = await create(employee())
  t.match(answer, { status: 503, body: { code: 'unavailable' } })
  t.equal(answer.headers['retry-after'], '1')
  t.equal(await head(), before)
  await setUp('drop trigger die on events')
  t.equal((await create(employee())).status, 201)
})

await t.test('an unknown outcome is a success only if the same event is at its position', async (t) => {
  const pool = openPool({ url: service.urls.serviceUrl, name: 'test', max: 1 })
  t.teardown(() => pool.end())
  await create(employee())
  const companyId = service.company.id
  const { rows } = await service.pool.query<{ position: number; leaf: Buffer }>(
    'select position, leaf_hash as leaf from events where company_id = $1 order by position desc limit 1',
    [toUuid(companyId)],
  )
  const { position, leaf } = rows[0]!
  const settle = (event?: UnknownOutcomeError<string>['event']) =>
    settleOutcome(pool, new UnknownOutcomeError('done', event, new Error('lost')))
  t.equal(await settle({ companyId, event: { position }, leaf }), 'done')
  await t.rejects(
    settle({ companyId, event: { position }, leaf: Buffer.alloc(32) }),
    UnavailableError,
    'another event is there',
  )
  await t.rejects(settle({ companyId, event: { position: position + 1 }, leaf }), UnavailableError, 'no event is there')
  await t.rejects(settle(), UnavailableError, 'a transaction without events leaves no trace')
})
