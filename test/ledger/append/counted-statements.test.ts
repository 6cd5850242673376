import t from 'tap'
import type { WriteCall } from '../../../src/domain/calls/commands.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { createCall, largeCall } from '../../support/ledger/calls.ts'
import { employee, startService } from '../../support/service.ts'
import { CITUS_URL } from '../../support/postgres/citus-url.ts'

/*
 * What an append sends to the database: its statements, and how many values of how many bytes. Whoever makes it more
 * says here why that is worth it.
 */

const onePostgres = CITUS_URL === undefined ? {} : { skip: 'a cluster gets further statements' }
const service = await startService(t)
const { commit, sent } = openAppends(t, service)
const RECORDS = 100
const people = Array.from({ length: RECORDS }, (_, at) =>
  employee({ external_id: `HR-${at}`, email: `p${String(at).padStart(3, '0')}@example.com` }),
)
const company = await service.makeCompany('Counted')

// The first call also stores the client that makes it.
await commit([createCall(company, [employee()])])

const LOCK = ['begin', 'lock-heads-wait', 'load-keys-wait']
const STORE = ['insert', 'update-heads', 'update-usage', 'commit']
/** Those before what the call appends, in any order; and the most bytes of all values. */
const CALLS: Record<string, [call: () => WriteCall, loading: string[], bytes: number]> = {
  'a single creation': [() => createCall(company, [employee()]), ['clock', 'load-employees', 'insert'], 2_300],
  '100 creations': [() => createCall(company, people), ['clock', 'load-employees', 'insert'], 55_500],
  'the first night': [() => largeCall(company, 'PUT', people), ['clock', 'find-digests-by-external_id'], 8_000],
  'a night with one change': [
    () => largeCall(company, 'PUT', [{ ...people[0], job_title: 'X' }, ...people.slice(1)]),
    ['clock', 'find-digests-by-external_id', 'load-employees'],
    // 117 of them count for the key how many people it has changed in the day, which its limits and a warning need.
    8_400,
  ],
  '100 patches': [
    () =>
      largeCall(
        company,
        'PATCH',
        people.map(({ external_id }) => ({ external_id, job_title: 'Y' })),
      ),
    ['clock', 'find-digests-by-external_id', 'load-employees'],
    36_300,
  ],
}

for (const [name, [call, loading, most]] of Object.entries(CALLS)) {
  await t.test(`${name}: the statements, and the bytes of their values`, onePostgres, async (t) => {
    sent.length = 0
    await commit([call()])
    const names = sent.map((statement) => statement.name)
    t.strictSame(names.toSorted(), [...LOCK, ...loading, ...STORE].toSorted())
    const bytes = sent.flatMap(({ values }) => values).reduce<number>((sum, value) => sum + sizeOf(value), 0)
    t.ok(bytes <= most, `${bytes} bytes`)
  })
}

function sizeOf(value: unknown): number {
  return Buffer.isBuffer(value) ? value.length : JSON.stringify(value ?? '').length
}
