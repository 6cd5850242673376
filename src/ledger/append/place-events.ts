import type { NewEvent } from '../../domain/events.ts'
import type { Origin, SealedEvent } from '../integrity/codec.ts'
import { sealEvent } from '../integrity/codec.ts'
import type { Head } from './company-state.ts'
import { appendLeaves } from '../integrity/merkle.ts'

/** Gives events the next positions of their company, at the time of the head, and advances the head. */
export function placeEvents(
  head: Head,
  events: NewEvent[],
  by: Pick<Origin, 'callId' | 'actor' | 'clientId'>,
): { placed: SealedEvent[]; head: Head } {
  const { companyId, frontier, recordedAt } = head
  const origin = { companyId, recordedAt, ...by }
  const placed = events.map((event, at) => sealEvent(event, frontier.size + at + 1, origin))
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
