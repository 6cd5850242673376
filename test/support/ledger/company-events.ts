import type { EventType, RecordedEvent } from '../../../src/domain/events.ts'
import { readEventPage } from '../../../src/ledger/read/read-events.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import type { Service } from '../service.ts'

/** All events of a company, in order. */
export async function readEvents(db: LedgerDb, companyId: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = []
  for (;;) {
    const page = await readEventPage(
      db,
      companyId,
      { after: events.length },
      { limit: 10_000, bytes: 64 * 1024 * 1024 },
    )
    events.push(...page.events)
    if (page.isEnd) return events
  }
}

/** The events of one stream of a company, in order. */
export async function streamOf(
  service: Service,
  stream: string,
  companyId = service.company.id,
): Promise<RecordedEvent[]> {
  const events = await readEvents(service.db, companyId)
  return events.filter((event) => event.stream === stream)
}

const SIGN_INS: ReadonlySet<string> = new Set<EventType>([
  'UserSignedIn',
  'UserSignedOut',
  'UserSessionsEnded',
  'UserSignInFailed',
])

/** Whether an event tells of a sign-in, or of the end of sessions, and not of a change. */
export function isSignIn({ type }: RecordedEvent): boolean {
  return SIGN_INS.has(type)
}
