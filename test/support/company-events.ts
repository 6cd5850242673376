import type { RecordedEvent } from '../../src/domain/events.ts'
import { readEvents } from '../../src/ledger/read.ts'
import type { Service } from './service.ts'

/** The events of one stream of a company, in order. */
export async function streamOf(service: Service, stream: string, companyId = service.company.id): Promise<RecordedEvent[]> {
  const events = await readEvents(service.db, companyId, { after: 0, limit: 10_000 })
  return events.filter((event) => event.stream === stream)
}

/** Resolves once so many wait for a head: polled, since PostgreSQL has no signal for it. */
export async function headIsAwaited(service: Service, waiting = 1): Promise<void> {
  const text = `select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%from heads%'`
  for (let tries = 0; tries < 20_000; tries += 1) {
    const { rows } = await service.pool.query(text)
    if (rows[0].count >= waiting) return
  }
  throw new Error('nobody came to wait for the head')
}
