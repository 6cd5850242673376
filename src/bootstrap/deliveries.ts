import { countDeliveries } from '#observe/metrics/count-work'
import type { LedgerTables } from '#ledger/tables'
import type { Metrics } from '#observe/metrics/metrics'
import { DELIVERY_CONNECTIONS } from '#postgres/connections'
import { openDatabase } from '#postgres/kysely'
import { startDeliveries } from '#delivery/webhooks/deliveries'
import { openPoster } from '#delivery/webhooks/message-posting'
import { newId } from '#ledger/new-id'
import type { PartOptions } from './running-part.ts'
import { createConfiguredSecretBox } from './keys.ts'

/** Starts delivering to webhooks, on connections of their own. */
export async function openDeliveries(options: PartOptions, metrics: Metrics) {
  const { config, store, log } = options
  const pool = store.open({
    name: 'employee-ledger webhooks',
    max: DELIVERY_CONNECTIONS,
    lockTimeoutMs: 1_000,
  })
  const poster = openPoster({ allowPrivate: config.OUTGOING_PRIVATE === 1 })
  const deliveries = startDeliveries({
    pool,
    db: openDatabase<LedgerTables>(pool),
    poster,
    newId,
    log,
    companiesTogether: store.companiesTogether,
    secrets: await createConfiguredSecretBox(config),
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    ...countDeliveries(metrics),
  })
  return {
    announce: deliveries.announce,
    async stop() {
      await deliveries.stop()
      poster.close()
      await pool.end()
    },
  }
}
