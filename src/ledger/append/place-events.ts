import type { NewEvent } from '../../domain/events.ts'
import { sealEvent } from '../integrity/codec.ts'
import type { Head } from './company-state.ts'
import { appendLeaves } from '../integrity/merkle.ts'
import type { PlacedEvent } from './statements.ts'

/** The actor and the call of an append. */
interface Origin {
  callId: string | null
  actor: string
}

/** Gives events the next positions of their company, at the time of the head, and advances the head. */
export function placeEvents(head: Head, events: NewEvent[], origin: Origin): { placed: PlacedEvent[]; head: Head } {
  const { companyId, frontier, recordedAt } = head
  const placed = events.map((event, at): PlacedEvent => {
    const position = frontier.size + at + 1
    return { companyId, position, event, ...sealEvent(event, { companyId, ...origin, position, recordedAt }) }
  })
  return {
    placed,
    head: {
      ...head,
      frontier: appendLeaves(
        frontier,
        placed.map(({ leaf }) => leaf),
      ),
    },
  }
}

/** The head at a time. A company's time never goes back, even if the database's clock does. */
export function headAt(head: Head, now: string): Head {
  return now > head.recordedAt ? { ...head, recordedAt: now } : head
}
