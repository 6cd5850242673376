import t from 'tap'
import { fillLedger } from '../../bench/commands/fill-ledger.ts'
import { COUNTING, makeFailedCalls, measurePages } from '../../bench/commands/pages.ts'
import { formatPages } from '../../bench/commands/pages-command.ts'
import { openOurs } from '../../bench/peers/ours-peer.ts'
import { withThrowawayServer } from '../../bench/processes/postgres.ts'
import { DATA_PARENT } from '../support/postgres/test-server.ts'

/* Runs the benchmark of pages on a small ledger; the figures are not checked. */

await t.test('every page is opened, and its statements are counted', async (t) => {
  const results = await withThrowawayServer(DATA_PARENT, COUNTING, async (server) => {
    const ours = await openOurs(await server.createDatabase('bench_pages'), { companies: [1], records: 100 })
    try {
      const tenant = ours.tenants.get(1)![0]!
      const samples = { employeeIds: [], logIds: [] }
      await fillLedger(ours, 1, 500, 100, samples, () => undefined)
      await makeFailedCalls(ours, tenant, 20)
      return await measurePages(server, 'bench_pages', { ours, tenant, samples, times: 3 })
    } finally {
      await ours.stop()
    }
  })
  for (const { page, statements, blocks } of results) t.ok(statements >= 1 && blocks > 0, page)
  for (const { page } of results) t.match(formatPages(results), `| ${page} |`)
})
