import type { Employee } from '../../domain/employees/employee.ts'
import type { RecordedEvent } from '../../domain/events.ts'
import { HEADER_BYTES, joinLater, type SealedEvent } from '../integrity/codec.ts'
import { isSameHistory, type Frontier } from '../integrity/merkle.ts'
import { charactersIn } from './employee-cache.ts'

/*
 * The events that this process has just committed, for workers in the same process. They need not ask PostgreSQL for
 * events that it received milliseconds ago, they decode only the data that they look at, and they take the states of
 * employees as they were decided. Commits of other processes leave a gap; a worker that meets one reads the ledger.
 *
 * The copy may hold events that the ledger has lost: after a failover to a server that lacked the last commits, or
 * after a restore, other events take those positions. So the copy keeps a single history of each company: a call that
 * does not follow the last kept one, by its frontier, starts a new history. And the transaction that folds checks by
 * the leaf hash that the ledger has the last event of the batch. Because the hash is salted and events are only ever
 * appended, the ledger then has all events before it too. It also checks that no rebuild has replaced the rows from
 * which the states of the employees follow: those may have been damaged.
 *
 * The copy may hold data that has been erased meanwhile. It is no longer folded once the erasure's event is the head,
 * because that event is never kept here. A fold that began earlier equals one that read the ledger earlier: folding the
 * erasure's event removes its rows.
 */

/** Maximum characters of kept events, of all companies together. A character takes at most two bytes. */
const MAX_CHARACTERS = 48_000_000
/** Maximum characters of events folded at once. A larger call is not kept, but read from the ledger in parts. */
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
  /** The rebuild that wrote the rows from which these employees follow; null if there was none. */
  generation: string | null
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
  /** The rebuild that wrote the rows from which these employees follow. */
  generation: string | null
  /** Whether they reach the head that the caller asked for. */
  isEnd: boolean
}

export interface RecentEvents {
  /** Keeps what a transaction appended that is known to be committed. */
  keep(calls: StoredCall[]): void
  /**
   * Whole calls behind a position, at most so many events and not too many characters, but at least one call. Null
   * unless they are there without a gap as far as the head.
   */
  callsBehind(companyId: string, range: { after: number; head: number; limit: number }): RecentCalls | null
  /** Takes note that one projection has folded events: once all have, they go. */
  folded(companyId: string, range: { after: number; upTo: number }): void
  /** Forgets the events of these companies. */
  forget(companyIds: string[]): void
}

/** A kept call. */
interface KeptCall extends Pick<RecentCalls, 'events' | 'leaf' | 'generation'> {
  companyId: string
  first: number
  last: number
  /** The employees that it changes, after it. */
  employees: readonly Employee[]
  /** About how many characters it takes. */
  characters: number
  /** How many projections have folded it. */
  folds: number
  keptAt: number
}

/** The kept calls of a company: one history of one generation, by the position of their first events, and its end. */
interface KeptCompany {
  end: Frontier
  generation: string | null
  calls: Map<number, KeptCall>
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

export function createRecentEvents(options: RecentOptions): RecentEvents {
  const { batchCharacters = BATCH_CHARACTERS, readers, ...bounds } = options
  const kept = createKeptCalls(bounds)
  return {
    keep(stored) {
      for (const call of stored) {
        const characters = charactersOf(call)
        // A gap: the calls after this one start a new history.
        if (characters > batchCharacters) kept.forget(call.companyId)
        else kept.add(call, characters)
      }
      kept.dropOld()
    },

    callsBehind(companyId, { after, head, limit }) {
      kept.dropOld()
      const behind = listCalls(kept.callsOf(companyId), after)
      const isWhole = behind.length > 0 && behind.at(-1)!.last >= head
      return isWhole ? joinCalls(takeCalls(behind, { events: limit, characters: batchCharacters }), head) : null
    },

    folded(companyId, { after, upTo }) {
      const calls = kept.callsOf(companyId)
      if (!calls) return
      for (let position = after + 1; position <= upTo; position += 1) {
        const call = calls.get(position)
        if (call && (call.folds += 1) >= readers) kept.remove(call)
      }
    },

    forget(companyIds) {
      companyIds.forEach(kept.forget)
    },
  }
}

/** Calls by company, bounded by characters and by age. */
function createKeptCalls({
  maxCharacters = MAX_CHARACTERS,
  keptMs = KEPT_MS,
  now = () => performance.now(),
}: Pick<RecentOptions, 'maxCharacters' | 'keptMs' | 'now'>) {
  const companies = new Map<string, KeptCompany>()
  /** All calls, oldest first. */
  const all = new Set<KeptCall>()
  let characters = 0
  let timer: NodeJS.Timeout | undefined

  function remove(call: KeptCall): void {
    if (!all.delete(call)) return
    characters -= call.characters
    const { calls } = companies.get(call.companyId)!
    calls.delete(call.first)
    if (calls.size === 0) companies.delete(call.companyId)
  }

  function forget(companyId: string): void {
    for (const call of companies.get(companyId)?.calls.values() ?? []) remove(call)
  }

  /** The calls of a company whose ledger ends at this frontier: none, unless what is kept ends there, too. */
  function companyAt(companyId: string, frontier: Frontier, generation: string | null): KeptCompany {
    const remembered = companies.get(companyId)
    if (remembered && remembered.generation === generation && isSameHistory(remembered.end, frontier)) return remembered
    forget(companyId)
    const company: KeptCompany = { end: frontier, generation, calls: new Map() }
    companies.set(companyId, company)
    return company
  }

  function add(stored: StoredCall, size: number): void {
    const { companyId, before, after, events, employees, generation } = stored
    const company = companyAt(companyId, before, generation)
    company.end = after
    const call: KeptCall = {
      companyId,
      first: before.size + 1,
      last: after.size,
      events: events.map(({ header, data }) => joinLater(header, data)),
      leaf: events.at(-1)!.leaf,
      employees,
      generation,
      characters: size,
      folds: 0,
      keptAt: now(),
    }
    company.calls.set(call.first, call)
    all.add(call)
    characters += size
  }

  function dropOld(): void {
    for (const call of all) {
      if (characters <= maxCharacters && now() - call.keptAt < keptMs) break
      remove(call)
    }
    dropLater()
  }

  /** Drops what becomes old, even when no further call arrives. */
  function dropLater(): void {
    const [oldest] = all
    if (!oldest || timer) return
    const waitMs = Math.max(1, oldest.keptAt + keptMs - now())
    timer = setTimeout(() => {
      timer = undefined
      dropOld()
    }, waitMs).unref()
  }

  return { add, dropOld, forget, remove, callsOf: (companyId: string) => companies.get(companyId)?.calls }
}

/** The calls that follow a position without a gap. */
function listCalls(calls: Map<number, KeptCall> | undefined, after: number): KeptCall[] {
  const list: KeptCall[] = []
  for (let call = calls?.get(after + 1); call; call = calls!.get(call.last + 1)) list.push(call)
  return list
}

/** The first of these calls that fit into the limits, and at least one. */
function takeCalls(calls: KeptCall[], left: { events: number; characters: number }): KeptCall[] {
  const end = calls.findIndex((call, at) => {
    left.events -= call.events.length
    left.characters -= call.characters
    return at > 0 && (left.events < 0 || left.characters < 0)
  })
  return end === -1 ? calls : calls.slice(0, end)
}

function joinCalls(calls: KeptCall[], head: number): RecentCalls {
  const { last: upTo, leaf, generation } = calls.at(-1)!
  return {
    events: calls.flatMap(({ events }) => events),
    // If several calls change an employee, the last one counts.
    employees: new Map(calls.flatMap(({ employees }) => employees.map((employee) => [employee.id, employee]))),
    upTo,
    leaf,
    generation,
    isEnd: upTo >= head,
  }
}

function charactersOf({ events, employees }: StoredCall): number {
  const ofEvents = events.reduce((sum, { data }) => sum + HEADER_BYTES + data.length, 0)
  return employees.reduce((sum, employee) => sum + charactersIn(employee), ofEvents)
}
