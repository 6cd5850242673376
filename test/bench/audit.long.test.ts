import t from 'tap'
import { audit, formatAudit } from '../../bench/commands/audit-command.ts'
import { describeMachine } from '../../bench/processes/machine.ts'
import { hasPython } from '../support/ledger/both-verifiers.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the audit benchmark on a small ledger; the figures are not checked. */

await t.test(
  'a ledger is filled, proven, exported, verified twice and rebuilt, and the report covers each step',
  onOneServer,
  async (t) => {
    const server = benchServer('bench_audit')
    t.teardown(() => server.dropDatabase('bench_audit'))
    const folder = t.testdir({})
    const result = await audit(server, { events: 5_000, records: 100 }, folder)
    t.ok(result.events >= 4_999, `${result.events} events`)
    t.ok(result.exportBytes > result.events * 500)
    const commands = [
      'audit export',
      'audit verify',
      'audit evidence',
      ...(hasPython() ? ['docs/verify_ledger.py', 'docs/verify_ledger.py, evidence file'] : []),
      'projections rebuild bulk-user-logs',
      'projections rebuild employees',
    ]
    t.strictSame(Object.keys(result.steps).toSorted(), commands.toSorted())
    for (const { seconds, peakMebibytes } of Object.values(result.steps)) t.ok(seconds > 0 && peakMebibytes > 1)
    t.equal(result.proofs.warmProofs, 200)
    const markdown = formatAudit(await describeMachine(server, folder), result)
    for (const command of commands) t.match(markdown, new RegExp(`^\\| \`${command}\` \\| [0-9]`, 'm'))
    t.match(markdown, /^\| cold: nothing was prepared \| [0-9]/m)
  },
)
