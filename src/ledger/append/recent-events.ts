import type { Employee } from '../../domain/employees/employee.ts'
import type { RecordedEvent } from '../../domain/events.ts'
import { closesCall } from '../../domain/events.ts'
import type { SealedEvent } from '../integrity/codec.ts'
import { HEADER_BYTES, joinLater } from '../integrity/codec.ts'
import type { Frontier } from '../integrity/merkle.ts'
import { isSameHistory } from '../integrity/merkle.ts'
import { charactersIn } from './employee-size.ts'

/*
 * The events that this process has just committed, for workers in the same process. They need not ask PostgreSQL for
 * events that it received milliseconds ago, they decode only the data that they look at, and they take the states of
 * employees as they were decided. Commits of other processes leave a gap; a worker that meets one reads the ledger.
 *
 * The copy may hold events that the ledger has lost: after a failover to a server that lacked the last commits, or
 * after a restore, other events take those positions. So the copy keeps a single history of each company: a call that
 * does not follow the last kept one, by its frontier, starts a new history. And the transaction that folds checks by
 * the leaf hash that the ledger has the last event of the batch. Because the hash is salted and events are only ever
 * appended, the ledger then has all events before it too.
 *
 * The copy may hold data that has been erased meanwhile. It is no longer folded once the erasure's event is the head,
 * because that event is never kept here. A fold that began earlier equals one that read the ledger earlier: folding the
 * erasure's event removes its rows.
 */

/** Maximum characters of kept events, of all companies together. A character takes at most two bytes. */
const MAX_CHARACTERS = 32_000_000
/** Maximum characters of events that are folded at once. A call with more is not kept; it is read from the ledger, in parts. */
const BATCH_CHARACTERS = 4_000_000
/** How long events are kept, in milliseconds: many times as long as a fold takes. */
const KEPT_MS = 2_000

/** The events of a call, with the frontier of its company before and after them. */
export interface StoredCall {
  companyId: string
  before: Frontier
  after: Frontier
  events: SealedEvent[]
  /** The employees that these events change, after them. */
  employees: readonly Employee[]
}

/** Complete calls of a company. */
interface RecentCalls {
  events: RecordedEvent[]
  /** The position of the last of them. */
  upTo: number
  /** The leaf hash of the last of them. */
  leaf: Buffer
  /** The employees that these events change, after them, by id. */
  employees: Map<string, Employee>
  /** Whether they reach as far as the company's head was asked for. */
  isEnd: boolean
}

export interface RecentEvents {
  /** Keeps what a transaction appended that is known to be committed. */
  keep(calls: StoredCall[]): void
  /**
   * Whole calls behind a position, about so many events and not too many characters; more events when one call alone
   * has more. Null unless they are there without a gap as far as the head.
   */
  callsBehind(companyId: string, range: { after: number; head: number; limit: number }): RecentCalls | null
  /** Takes note that one projection has folded events: once all have, they go. */
  folded(companyId: string, range: { after: number; upTo: number }): void
  /** Forgets the events of these companies. */
  forget(companyIds: string[]): void
}

interface KeptEvent extends Pick<SealedEvent, 'header' | 'data' | 'leaf'> {
  decoded: RecordedEvent
  /** The employee after the event, if the call changes the employee no further. */
  employee: Employee | undefined
  /** About how many characters it takes. */
  characters: number
  /** How many projections have folded it. */
  folds: number
}

/** The kept events of a company: one history, by position, and its end. */
interface KeptCompany {
  end: Frontier
  events: Map<number, KeptEvent>
}

/** When events were kept. */
interface Kept {
  at: number
  companyId: string
  first: number
  last: number
}

interface RecentOptions {
  /** How many projections fold each event. */
  readers: number
  maxCharacters?: number
  batchCharacters?: number
  keptMs?: number
  /** The time in milliseconds, from whenever. */
  now?(): number
}

export function openRecentEvents(options: RecentOptions): RecentEvents {
  const { batchCharacters = BATCH_CHARACTERS, readers, ...bounds } = options
  const kept = openKeptCalls(bounds)
  return {
    keep(stored) {
      for (const call of stored) {
        const events = keptEventsOf(call)
        // A gap: the calls after this one start a new history.
        if (sumOf(events) > batchCharacters) kept.forget(call.companyId)
        else kept.add(call, events)
      }
      kept.dropOld()
    },

    callsBehind(companyId, range) {
      kept.dropOld()
      const events = kept.eventsOf(companyId)
      return events?.has(range.head) ? callsIn(events, { ...range, characters: batchCharacters }) : null
    },

    folded(companyId, { after, upTo }) {
      const events = kept.eventsOf(companyId)
      if (!events) return
      for (let position = after + 1; position <= upTo; position += 1) {
        const event = events.get(position)
        if (event && (event.folds += 1) >= readers) kept.remove(companyId, position)
      }
    },

    forget(companyIds) {
      companyIds.forEach(kept.forget)
    },
  }
}

/** Events by company and position, bounded by characters and by age. */
function openKeptCalls({
  maxCharacters = MAX_CHARACTERS,
  keptMs = KEPT_MS,
  now = () => performance.now(),
}: Pick<RecentOptions, 'maxCharacters' | 'keptMs' | 'now'>) {
  /** Oldest first. */
  const calls = new Set<Kept>()
  const companies = new Map<string, KeptCompany>()
  let characters = 0
  let timer: NodeJS.Timeout | undefined

  function remove(companyId: string, position: number): void {
    const company = companies.get(companyId)
    const event = company?.events.get(position)
    if (!company || !event) return
    characters -= event.characters
    company.events.delete(position)
    if (company.events.size === 0) companies.delete(companyId)
  }

  function forget(companyId: string): void {
    for (const event of companies.get(companyId)?.events.values() ?? []) characters -= event.characters
    companies.delete(companyId)
  }

  /** The events of a company whose ledger ends at this frontier: none, unless what is kept ends there, too. */
  function companyAt(companyId: string, frontier: Frontier): KeptCompany {
    const known = companies.get(companyId)
    if (known && isSameHistory(known.end, frontier)) return known
    forget(companyId)
    const company: KeptCompany = { end: frontier, events: new Map() }
    companies.set(companyId, company)
    return company
  }

  function add({ companyId, before, after }: StoredCall, events: KeptEvent[]): void {
    const company = companyAt(companyId, before)
    company.end = after
    for (const event of events) company.events.set(event.header.position, event)
    characters += sumOf(events)
    calls.add({ at: now(), companyId, first: before.size + 1, last: after.size })
  }

  function dropOld(): void {
    for (const kept of calls) {
      if (characters <= maxCharacters && now() - kept.at < keptMs) break
      calls.delete(kept)
      for (let position = kept.first; position <= kept.last; position += 1) remove(kept.companyId, position)
    }
    dropLater()
  }

  /** Drops what becomes old, even when no further call arrives. */
  function dropLater(): void {
    const [oldest] = calls
    if (!oldest || timer) return
    const waitMs = Math.max(1, oldest.at + keptMs - now())
    timer = setTimeout(() => {
      timer = undefined
      dropOld()
    }, waitMs).unref()
  }

  return { add, dropOld, forget, remove, eventsOf: (companyId: string) => companies.get(companyId)?.events }
}

function callsIn(
  kept: Map<number, KeptEvent>,
  { after, head, limit, characters }: { after: number; head: number; limit: number; characters: number },
): RecentCalls | null {
  const found: KeptEvent[] = []
  let [end, left] = [0, characters]
  for (
    let event = kept.get(after + 1);
    event && (end === 0 || found.length < limit);
    event = kept.get(event.header.position + 1)
  ) {
    left -= event.characters
    if (end > 0 && left < 0) break
    found.push(event)
    if (closesCall(event.header)) end = found.length
  }
  if (end === 0) return null
  const reached = after + end
  // There is a gap before the head. Reading the ledger covers the events after it as well.
  if (reached < head && !kept.has(after + found.length + 1)) return null
  const whole = found.slice(0, end)
  return {
    events: whole.map(({ decoded }) => decoded),
    employees: new Map(whole.flatMap(({ employee }) => (employee ? [[employee.id, employee]] : []))),
    upTo: reached,
    leaf: whole.at(-1)!.leaf,
    isEnd: reached >= head,
  }
}

function keptEventsOf({ events, employees }: StoredCall): KeptEvent[] {
  const changed = new Map(employees.map((employee) => [employee.id, employee]))
  return events.map(({ header, data, leaf }) => {
    const after = changed.get(header.stream)
    const employee = after?.version === header.version ? after : undefined
    const characters = HEADER_BYTES + data.length + (employee ? charactersIn(employee) : 0)
    return { header, data, leaf, employee, decoded: joinLater(header, data), characters, folds: 0 }
  })
}

function sumOf(events: KeptEvent[]): number {
  return events.reduce((sum, { characters }) => sum + characters, 0)
}
