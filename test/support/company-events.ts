import type { RecordedEvent } from '../../src/domain/events.ts'
import { readEvents } from '../../src/ledger/read.ts'
import type { Service } from './service.ts'

/** The events of one stream of a company, in order. */
export async function streamOf(service: Service, stream: string, companyId = service.company.id): Promise<RecordedEvent[]> {
  const events = await readEvents(service.db, companyId, { after: 0, limit: 10_000 })
  return events.filter((event) => event.stream === stream)
}
