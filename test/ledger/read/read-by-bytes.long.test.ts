import type { QueryResult } from 'pg'
import type { Test } from 'tap'
import t from 'tap'
import { eraseEmployee } from '../../../src/personal-data/erase-employee.ts'
import { newId } from '../../../src/ledger/new-id.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { findEventsWith, readRejectedPages, readStreamPages } from '../../../src/ledger/erasure/find-events.ts'
import { exportPages } from '../../../src/ledger/read/export-pages.ts'
import { beyond, countedReads, readOf } from '../../support/postgres/counted-reads.ts'
import type { EventRead } from '../../support/postgres/counted-reads.ts'
import { lengthenLedger } from '../../support/ledger/long-ledger.ts'
import { appendRefusalsAt, openOldLedger } from '../../support/ledger/old-refusals.ts'
import type { Service } from '../../support/service.ts'
import { employee, startService } from '../../support/service.ts'

const MEBIBYTE = 1024 * 1024
/** The types of events in which names of employees stand. */
const NAMING = ['EmployeeCreated', 'EmployeeUpdated'] as const
const AT = '2026-01-01T00:00:00.000Z'

const service = await startService(t)

/** How much of events each statement of a service's pool reads, until the test ends. */
function countReads(t: Test, { pool }: Service): EventRead[] {
  const reads: EventRead[] = []
  const query = pool.query.bind(pool) as (...asked: unknown[]) => Promise<QueryResult>
  const counted = async (...asked: unknown[]) => {
    const result = await query(...asked)
    const read = readOf(result.rows)
    if (read.events > 0) reads.push(read)
    return result
  }
  // On a cluster, a pool in its place would not lead to the machines of companies.
  Object.assign(pool, { query: counted })
  t.teardown(() => Object.assign(pool, { query }))
  return reads
}

await t.test('all refused records of a company are searched in pages of limited bytes', async (t) => {
  const companyId = await openOldLedger(service, AT)
  await appendRefusalsAt(service, companyId, AT, 3, { padding: 2 * MEBIBYTE })
  await appendRefusalsAt(service, companyId, AT, 50, { padding: 100_000 })
  const reads = countReads(t, service)
  const found: number[] = []
  for await (const page of readRejectedPages(service.pool, companyId, 0))
    found.push(...page.map(({ position }) => position))
  t.strictSame(found, [1, 2, 3, ...Array.from({ length: 50 }, (_, at) => at + 5)])
  t.strictSame(beyond(reads, MEBIBYTE), [])
})

await t.test('all events of an employee are searched in pages of limited bytes', async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const { id } = body.employees[0]
  await lengthenLedger(service, service.company.id, id, 20, { titleLength: 100_000 })
  const reads = countReads(t, service)
  const versions: number[] = []
  for await (const page of readStreamPages(service.pool, service.company.id, id))
    versions.push(...page.map(({ version }) => version))
  t.strictSame(
    versions,
    Array.from({ length: 21 }, (_, at) => at + 1),
  )
  t.strictSame(beyond(reads, MEBIBYTE), [])
})

await t.test('a search for past names reads limited bytes, and no refused records', async (t) => {
  const companyId = service.company.id
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  await lengthenLedger(service, companyId, body.employees[0].id, 20, { titleLength: 100_000 })
  const reads = countReads(t, service)
  const streams = new Set<string>()
  const padded = `${'0'.repeat(99_999)}7`
  for await (const page of findEventsWith(service.pool, companyId, padded, { types: NAMING }))
    for (const { stream } of page) streams.add(stream)
  t.ok(streams.has(body.employees[0].id))
  t.strictSame(beyond(reads, MEBIBYTE), [])
  const refusing = await openOldLedger(service, AT)
  await appendRefusalsAt(service, refusing, AT, 2)
  for await (const page of findEventsWith(service.pool, refusing, 'old.0@example.com', { types: NAMING }))
    t.strictSame(page, [])
})

await t.test('an erasure finds a person in large refused records, a page at a time', async (t) => {
  const other = await startService(t)
  await appendRefusalsAt(other, other.company.id, AT, 4, { padding: MEBIBYTE })
  const reads = countReads(t, other)
  const acting = { companyId: other.company.id, actor: OPERATOR }
  const erased = await eraseEmployee({ pool: other.pool, newId }, acting, { by: 'email', value: 'old.2@example.com' })
  t.equal(erased.positions, 1)
  t.strictSame(beyond(reads, MEBIBYTE), [])
})

await t.test('an export reads limited bytes; an event larger than a page is read alone', async (t) => {
  const companyId = await openOldLedger(service, AT)
  await appendRefusalsAt(service, companyId, AT, 4, { padding: 1.5 * MEBIBYTE })
  const { db, reads } = countedReads(service.db)
  const positions: number[] = []
  for await (const page of exportPages(db, companyId, { after: 0, upTo: 5 }))
    positions.push(...page.map(({ position }) => position))
  t.strictSame(positions, [1, 2, 3, 4, 5])
  t.strictSame(beyond(reads, 2 * MEBIBYTE), [])
})
