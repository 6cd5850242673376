import t from 'tap'
import { newId } from '../../../src/ledger/new-id.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { findCallsNaming } from '../../../src/ledger/erasure/forget-answers.ts'
import { findEventsWith } from '../../../src/ledger/erasure/find-events.ts'
import { readBodyPages } from '../../../src/ledger/erasure/rejected-records.ts'
import { EMPLOYEE_ROWS, type TracedEmployee } from '../../../src/personal-data/employee-places.ts'
import { emptyNames } from '../../../src/domain/erasure.ts'
import { inTransaction } from '../../../src/postgres/pipeline.ts'
import { storeDelivery } from '../../support/http/stored-deliveries.ts'
import { startService } from '../../support/service.ts'
import { makeWebhook } from '../../support/stored-webhooks.ts'

/* An erasure and a report read page by page, and neither ends with a page. */

const service = await startService(t)
const { company, pool } = service
const companyId = toUuid(company.id)

async function readAll<Row>(pages: AsyncGenerator<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

/** A person, if a search finds nothing about them but this. */
function traced(found: Partial<TracedEmployee>): TracedEmployee {
  const nothing = { positions: [], callIds: [], answered: [], bodies: [] }
  return { companyId: company.id, employeeId: null, names: emptyNames(), ...nothing, ...found }
}

await t.test('stored answers are found on every page', async (t) => {
  const id = newId('emp')
  const calls = 1_201
  await pool.query(
    `insert into idempotency_keys (company_id, api_id, key_hash, salt, fingerprint, may_name_anyone, call_id, position,
       status, answered_at, headers, body)
     select $1, $2, sha256(n::text::bytea), substr(sha256(''), 1, 16), sha256(''), false, gen_random_uuid(), n, 200, now(),
       '{}', case when n % 2 = 0 then $3 else 'of somebody else' end from generate_series(1, ${calls}) n`,
    [companyId, toUuid(company.key.api_id), JSON.stringify({ id })],
  )
  const naming = await findCallsNaming(pool, company.id, id, 0)
  t.equal(new Set(naming).size, 600)
  t.equal((await findCallsNaming(pool, company.id, id, 200)).length, 500, 'after a position')
  const { rows } = await pool.query<{ n: number }>(
    'select count(*)::integer as n from idempotency_keys where body is not null',
  )
  t.equal(rows[0]!.n, calls)
  const person = traced({ answered: naming })
  t.equal((await readAll(EMPLOYEE_ROWS.stored_answers.read(pool, person))).length, 600)
  await inTransaction(pool, (client) => EMPLOYEE_ROWS.stored_answers.erase(client, person))
  t.equal((await readAll(EMPLOYEE_ROWS.stored_answers.read(pool, person))).length, 0)
  t.strictSame(await findCallsNaming(pool, company.id, id, 0), [])
})

await t.test('what receivers answered is found and deleted, however many messages and events there are', async (t) => {
  const webhook = await makeWebhook(service)
  const positions = Array.from({ length: 1_501 }, (_, at) => 10_000 + at)
  const answered = [10_000, 10_999, 11_000, 11_500]
  for (const position of answered) await storeDelivery(pool, company.id, webhook.id, { position, answer: 'kept' })
  for (let at = 0; at < 501; at += 1)
    await storeDelivery(pool, company.id, webhook.id, { position: 10_001, answer: 'kept' })
  await storeDelivery(pool, company.id, webhook.id, { position: 11_501, answer: 'of somebody else' })
  const told = traced({ positions })
  t.equal((await readAll(EMPLOYEE_ROWS.webhook_messages.read(pool, told))).length, 505)
  await inTransaction(pool, (client) => EMPLOYEE_ROWS.webhook_messages.erase(client, told))
  const { rows } = await pool.query('select answer from webhook_deliveries where answer is not null')
  t.strictSame(rows, [{ answer: 'of somebody else' }])
})

await t.test('the ends of more than a thousand calls are told, too', async (t) => {
  const webhook = await makeWebhook(service)
  const logIds: string[] = []
  for (let at = 0; at < 2; at += 1) {
    const { body } = await service.call('POST', '/v1/employees', { body: [{ phone: '1' }] })
    logIds.push(body.log_id as string)
  }
  const { rows: ends } = await pool.query<{ position: number }>(
    `select position from events where company_id = $1 and type = 'ApiCallFailed'`,
    [companyId],
  )
  for (const { position } of ends) await storeDelivery(pool, company.id, webhook.id, { position, answer: 'kept' })
  const others = Array.from({ length: 1_200 }, () => newId('log'))
  const told = traced({ callIds: [logIds[0]!, ...others, logIds[1]!] })
  t.equal((await readAll(EMPLOYEE_ROWS.webhook_messages.read(pool, told))).length, 2)
})

await t.test('a text is found in each of many events, also where one search ends and the next begins', async (t) => {
  const { id } = await service.makeCompany('Long')
  const places = [49_999, 50_000, 50_001, 100_000, 100_001, 120_000]
  await pool.query(
    `insert into events (company_id, position, recorded_at, stream_id, call_id, stream_version, schema_version, type, actor,
       leaf_hash, salt, data)
     select $1, place, now(), id, id, 1, 1, 'EmployeeUpdated', 'key', sha256(''), substr(sha256(''), 1, 16),
       '{"changes":{"email":{"from":"x","to":"mark"}}}' from (select place, gen_random_uuid() as id from unnest($2::bigint[]) place) e`,
    [toUuid(id), places],
  )
  await pool.query('update heads set position = 120000 where company_id = $1', [toUuid(id)])
  for (const [after, found] of [
    [0, places],
    [50_000, places.slice(2)],
  ] as const) {
    const events = await readAll(findEventsWith(pool, id, 'mark', { types: ['EmployeeUpdated'], after }))
    t.strictSame(
      events.map(({ position }) => position),
      found,
      `after ${after}`,
    )
  }
})

await t.test('bodies are found on every page, and only those at certain positions', async (t) => {
  for (let at = 0; at < 41; at += 1) await service.call('POST', '/v1/employees', { body: `[${at}` })
  const all = await readAll(readBodyPages(pool, company.id, 0))
  t.equal(all.length, 41)
  const person = traced({ bodies: all.filter((_, at) => at % 2 === 0).map(({ position }) => position) })
  t.equal((await readAll(EMPLOYEE_ROWS.rejected_bodies.read(pool, person))).length, 21)
  await inTransaction(pool, (client) => EMPLOYEE_ROWS.rejected_bodies.erase(client, person))
  t.equal((await readAll(readBodyPages(pool, company.id, 0))).length, 20)
})
