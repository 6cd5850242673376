import { LRUCache } from 'lru-cache'
import { upTo } from '#admission/cache-size'
import type { Employee } from '#domain/employees/employee'
import type { RecordedEvent } from '#domain/events'
import { HEADER_BYTES, type SealedEvent } from '../integrity/codec.ts'
import { isSameHistory, type Frontier } from '../integrity/merkle.ts'
import { charactersIn } from './employee-cache.ts'

/*
 * The events that this process has just committed, for workers in the same process. They need not ask PostgreSQL for
 * events that it received milliseconds ago, nor decode them, and they take the states of employees as they were decided. Commits of other processes leave a gap; a worker that meets one reads the ledger.
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
const MAX_COMPANIES = 10_000
/** How long events are kept, in milliseconds: many times as long as a fold takes. */
const KEPT_MS = 2_000

/** The events of a call, with the frontier of its company before and after them. */
export interface StoredCall {
  companyId: string
  before: Frontier
  after: Frontier
  events: SealedEvent[]
  /** Those of the data of these events, whose texts are gone. */
  characters: number
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
  employees: ReadonlyMap<string, Employee>
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
interface KeptCall extends Pick<RecentCalls, 'events' | 'employees' | 'leaf' | 'generation'> {
  last: number
  /** About how many characters it takes. */
  characters: number
  /** How many projections have folded it. */
  folds: number
}

/** The kept history of a company: one of one generation, and its end. */
interface History {
  number: number
  end: Frontier
  generation: string | null
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

export function createRecentEvents({
  readers,
  maxCharacters = MAX_CHARACTERS,
  batchCharacters = BATCH_CHARACTERS,
  keptMs = KEPT_MS,
  now = () => performance.now(),
}: RecentOptions): RecentEvents {
  const forAWhile = { ttl: keptMs, ttlResolution: 0, ttlAutopurge: true, perf: { now } }
  /** By company. */
  const histories = new LRUCache<string, History>({ ...forAWhile, ...upTo(MAX_COMPANIES) })
  /** By their place, oldest first. Nobody finds those of a history that is kept no longer. */
  const calls = new LRUCache<string, KeptCall>({ ...forAWhile, maxSize: maxCharacters })
  let lastHistory = 0
  /** The place of the call that begins at a position. */
  const placeOf = ({ number }: History, position: number) => `${number} ${position}`

  /** Extends what is kept of a company if that ends where the call begins, and begins a new history otherwise. */
  function extend({ companyId, before, after, generation }: StoredCall): History {
    const known = histories.peek(companyId)
    const continues = known?.generation === generation && isSameHistory(known.end, before)
    const history = { number: continues ? known.number : (lastHistory += 1), end: after, generation }
    histories.set(companyId, history)
    return history
  }

  /** The calls that follow a position without a gap. */
  function listCalls(companyId: string, after: number) {
    const history = histories.peek(companyId)
    const list: KeptCall[] = []
    const follow = (position: number) => history && calls.peek(placeOf(history, position + 1))
    for (let call = follow(after); call; call = follow(call.last)) list.push(call)
    return list
  }

  return {
    keep(stored) {
      for (const call of stored) {
        const { companyId, before, after, events, employees, generation } = call
        const size = charactersOf(call)
        if (size > batchCharacters) {
          // A gap: the calls after this one start a new history.
          histories.delete(companyId)
          continue
        }
        const kept: KeptCall = {
          last: after.size,
          events: events.map(({ event }) => event),
          leaf: events.at(-1)!.leaf,
          employees: byId([employees]),
          generation,
          characters: size,
          folds: 0,
        }
        calls.set(placeOf(extend(call), before.size + 1), kept, { size })
      }
    },

    callsBehind(companyId, { after, head, limit }) {
      const behind = listCalls(companyId, after)
      const isWhole = behind.length > 0 && behind.at(-1)!.last >= head
      return isWhole ? joinCalls(takeCalls(behind, { events: limit, characters: batchCharacters }), head) : null
    },

    folded(companyId, { after, upTo }) {
      const history = histories.peek(companyId)
      if (!history) return
      for (let position = after + 1; position <= upTo;) {
        const place = placeOf(history, position)
        const call = calls.peek(place)
        if (call && (call.folds += 1) >= readers) calls.delete(place)
        position = call ? call.last + 1 : position + 1
      }
    },

    forget(companyIds) {
      for (const companyId of companyIds) histories.delete(companyId)
    },
  }
}

/** The first of these calls that fit into the limits, and at least one. */
function takeCalls(calls: KeptCall[], left: { events: number; characters: number }) {
  const end = calls.findIndex((call, at) => {
    left.events -= call.events.length
    left.characters -= call.characters
    return at > 0 && (left.events < 0 || left.characters < 0)
  })
  return end === -1 ? calls : calls.slice(0, end)
}

function joinCalls(calls: KeptCall[], head: number): RecentCalls {
  const { last: upTo, leaf, generation } = calls.at(-1)!
  const [first, ...others] = calls as [KeptCall, ...KeptCall[]]
  return {
    events: others.length === 0 ? first.events : calls.flatMap(({ events }) => events),
    // If several calls change an employee, the last one counts.
    employees: others.length === 0 ? first.employees : byId(calls.map(({ employees }) => employees.values())),
    upTo,
    leaf,
    generation,
    isEnd: upTo >= head,
  }
}

function byId(lists: readonly Iterable<Employee>[]) {
  const employees = new Map<string, Employee>()
  for (const list of lists) for (const employee of list) employees.set(employee.id, employee)
  return employees
}

function charactersOf({ events, characters, employees }: StoredCall) {
  const ofEvents = characters + HEADER_BYTES * events.length
  return employees.reduce((sum, employee) => sum + charactersIn(employee), ofEvents)
}
