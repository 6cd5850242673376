import t from 'tap'
import { StreamVersions } from '../../../src/ledger/audit/stream-versions.ts'

await t.test('each of 20,000 streams has its own count', async (t) => {
  const versions = new StreamVersions()
  const streams = Array.from({ length: 20_000 }, (_, at) => `emp_${at}`)
  for (const expected of [1, 2, 3]) {
    t.strictSame([...new Set(streams.map((stream) => versions.next(stream)))], [expected])
  }
  t.equal(versions.next('another'), 1)
})
