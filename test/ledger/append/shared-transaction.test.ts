import { hash } from 'node:crypto'
import t from 'tap'
import { issueApiKey } from '../../../src/accounts/api-keys/api-keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import type { WriteCall } from '../../../src/domain/calls/commands.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { createEmployeeCache } from '../../../src/ledger/append/employee-cache.ts'
import { isNameTaken } from '../../../src/ledger/append/unchecked-creations.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { createCall, recordsCall } from '../../support/ledger/calls.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import { SHARING } from '../../support/postgres/citus-url.ts'
import { employee, startService } from '../../support/service.ts'

/* Calls of a company in one transaction, some so large that their events are sent in several parts. */

const service = await startService(t)
const { company, db } = service
const { commit: commitCalls } = openAppends(t, service)
const SIZES = [1, 300, 1, 700, 2]
const cache = createEmployeeCache(64_000_000)

const commit = (calls: WriteCall[], unchecked: WriteCall[] = []) => commitCalls(calls, { cache, unchecked })

const callOf = (records: unknown[], at: number): WriteCall => ({
  ...createCall(company, records),
  idempotency: { keyHash: hash('sha256', `key ${at}`, 'hex'), requestHash: hash('sha256', `request ${at}`, 'hex') },
  traceparent: `00-${String(at + 1).padStart(32, '0')}-00f067aa0ba902b7-01`,
})

const readHead = ({ id } = company) =>
  db.selectFrom('heads').selectAll().where('company_id', '=', toUuid(id)).executeTakeFirstOrThrow()
const headOf = async () => (await readHead()).position

await t.test('each of them gets its own positions, answer, idempotency key and trace', async (t) => {
  const before = await headOf()
  const calls = SIZES.map((size, at) =>
    callOf(
      Array.from({ length: size }, () => employee()),
      at,
    ),
  )
  const committed = await commit(calls)
  const ends = SIZES.map((_, at) => before + SIZES.slice(0, at + 1).reduce((sum, size) => sum + size + 1, 0))
  t.strictSame(
    committed.map(({ position, answer }) => [position, answer!.status]),
    ends.map((end) => [end, 201]),
  )
  t.strictSame(await ledgerFaults(db, company.id), [])
  const closing = await db
    .selectFrom('events')
    .select(['position', 'stream_id'])
    .where('company_id', '=', toUuid(company.id))
    .where('position', 'in', ends)
    .orderBy('position')
    .execute()
  t.strictSame(
    closing.map(({ stream_id: call }) => call),
    calls.map(({ callId }) => toUuid(callId)),
  )
  const traces = await db.selectFrom('event_traces').select(['position', 'traceparent']).orderBy('position').execute()
  t.strictSame(
    traces,
    calls.map(({ traceparent }, at) => ({ position: ends[at]!, traceparent: traceparent! })),
  )

  const replayed = await commit(calls)
  for (const [at, { answer, position }] of replayed.entries()) {
    t.equal(position, null, 'a retry appends nothing')
    t.match(answer!.headers, { 'idempotency-replayed': 'true', 'x-ledger-position': String(ends[at]) })
  }
  t.equal(await headOf(), ends.at(-1))
})

await t.test('if one of them cannot be stored after parts were sent, none is, and the next one can be', async (t) => {
  const before = await headOf()
  const taken = employee()
  await commit([createCall(company, [taken])])
  const later = await headOf()
  const large = createCall(company, [
    ...Array.from({ length: 600 }, () => employee()),
    { ...employee(), email: taken.email },
  ])
  const small = createCall(company, [employee()])
  const refused = await commit([small, large], [large]).catch((error: unknown) => error)
  t.ok(isNameTaken(refused))
  t.equal(await headOf(), later)
  t.ok(later > before)
  t.equal((await commit([small]))[0]!.answer!.status, 201)
  t.strictSame(await ledgerFaults(db, company.id), [])
})

await t.test('the head of a company that appends nothing stays as it is', SHARING, async (t) => {
  const other = await service.makeCompany('Validates')
  const before = await readHead(other)
  const [validated, created] = await commit([
    { ...createCall(other, [employee()]), validateOnly: true },
    createCall(company, [employee()]),
  ])
  t.strictSame([validated!.answer!.status, created!.answer!.status], [200, 201])
  t.strictSame(await readHead(other), before)
})

await t.test('a limit that is a share counts whom the calls before it in the transaction created', async (t) => {
  const other = await service.makeCompany('Limited')
  const limits = { max_deactivations: '10%', max_changes: null } as const
  const wanted = { companyId: other.id, name: 'Sync', quotaLimit: 1_000, refreshPeriod: 'daily', limits } as const
  const limited = { ...other, key: await issueApiKey({ pool: service.pool, newId }, wanted) }
  const people = Array.from({ length: 10 }, () => employee())
  const leave = (at: number) => recordsCall(limited, 'PATCH', [{ email: people[at]!['email'], status: 'inactive' }])
  const committed = await commit([createCall(other, people), leave(0), leave(1)])
  t.match(
    committed.map(({ answer }) => answer?.status),
    [201, 200, 409],
    '10 % of 10 people is 1',
  )
})
