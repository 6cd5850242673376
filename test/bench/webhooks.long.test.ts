import t from 'tap'
import { formatLags, formatReplays, measureWebhooks } from '../../bench/commands/webhooks-command.ts'
import { benchServer, onOneServer } from '../support/processes/bench-server.ts'

/* Runs the benchmark of webhooks on a small ledger; the figures are not checked. */

await t.test(
  'a webhook replays a ledger at each concurrency, and the lag of its messages is measured',
  onOneServer,
  async (t) => {
    const sizes = { fleets: [1], deliveries: 40, rounds: 1, seconds: 1, callsPerSecond: 5 }
    const { replays, lags } = await measureWebhooks(benchServer('bench_webhooks'), sizes)
    t.strictSame(
      replays.map(({ concurrency }) => concurrency),
      [1, 4, 16],
    )
    for (const { deliveries, seconds } of replays) t.ok(deliveries >= 40 && seconds > 0)
    t.strictSame(
      lags.map(({ webhooks, deliveries }) => [webhooks, deliveries]),
      [[1, 10]],
    )
    t.match(formatReplays(replays), /^\| 1 \| 1 \| 16 \| [0-9]/m)
    t.match(formatLags(lags), /^\| 1 \| 1 \| 0 % \| 5 \| 10 \| [0-9]/m)
  },
)
