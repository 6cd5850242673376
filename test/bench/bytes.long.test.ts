import t from 'tap'
import { measureBytes } from '../../bench/commands/bytes.ts'
import { formatBytes } from '../../bench/commands/bytes-command.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the benchmark of bytes on a small company; the figures are not checked. */

await t.test('the storage and the write-ahead log of each kind of record are measured', onOneServer, async (t) => {
  const server = benchServer('bench_bytes')
  t.teardown(() => server.dropDatabase('bench_bytes'))
  const results = await measureBytes(server, { employees: 200, records: 50 }, () => undefined)
  const works = [
    ...['created', 'first night after that', 'one attribute changed', 'first night after such changes'],
    ...['second night after such changes', 'nightly sync, 1 % changed', 'unchanged'],
  ]
  t.strictSame(
    results.map(({ work }) => work),
    works,
  )
  t.ok(results.every(({ walBytes }) => walBytes > 0))
  t.ok(results[0]!.groups.events > 0)
  for (const work of works) t.match(formatBytes(results), `| ${work} |`)
})
