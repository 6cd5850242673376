import t from 'tap'
import type { Employee } from '../../../src/domain/employees/employee.ts'
import type { NewEvent, RecordedEvent } from '../../../src/domain/events.ts'
import { fromUuid } from '../../../src/domain/ids.ts'
import { HEADER_BYTES, readEvent } from '../../../src/ledger/integrity/codec.ts'
import type { Head } from '../../../src/ledger/append/company-state.ts'
import { EMPTY_FRONTIER } from '../../../src/ledger/integrity/merkle.ts'
import { placeEvents } from '../../../src/ledger/append/company-state.ts'
import type { RecentEvents, StoredCall } from '../../../src/ledger/append/recent-events.ts'
import { createRecentEvents } from '../../../src/ledger/append/recent-events.ts'
import { storedRow } from '../../support/ledger/event-row.ts'
import { BEFORE, CALL_ID, fold, given, hired, KEY, person } from '../../support/domain/given-when-then.ts'

const company = (number: number) => fromUuid('com', `01930000-0000-7000-8000-${String(number).padStart(12, '0')}`)
const ONE = company(1)
const OTHER = company(2)
const newHead = (companyId: string): Head => ({
  companyId,
  frontier: EMPTY_FRONTIER,
  recordedAt: BEFORE,
  generation: null,
})

/** The events of a call that creates this many employees, with its closing event. */
const creating = (count: number): NewEvent[] =>
  given().create(Array.from({ length: count }, (_, at) => person(at))).events

/** A new ledger that can be appended to and forked. */
function openLedger(companyId: string) {
  let head = placeEvents(newHead(companyId), [hired(1)], { callId: null, actor: 'usr' }).head
  return {
    append(events: NewEvent[], employees: Employee[] = []): StoredCall {
      const before = head.frontier
      const { placed, head: after } = placeEvents(head, events, { callId: CALL_ID, actor: KEY.id })
      head = after
      const characters = placed.reduce((sum, { data }) => sum + data.length, 0)
      return { companyId, before, after: after.frontier, events: placed, characters, employees, generation: null }
    },
    fork: () => ({ ...head }),
    goBackTo: (fork: Head) => void (head = fork),
    head: () => head.frontier.size,
  }
}

const eventsOf = (...calls: StoredCall[]): RecordedEvent[] =>
  calls.flatMap(({ events }) => events.map((event) => readEvent(storedRow(event))))
const behind = (recent: RecentEvents, companyId: string, after: number, head: number, limit = 100) =>
  recent.callsBehind(companyId, { after, head, limit })

await t.test('kept events equal those read from the ledger, with the last leaf, each decoded once', async (t) => {
  const [recent, ledger, other] = [createRecentEvents({ readers: 2 }), openLedger(ONE), openLedger(OTHER)]
  const [first, beside, second] = [ledger.append(creating(2)), other.append(creating(1)), ledger.append(creating(1))]
  recent.keep([first, beside])
  recent.keep([second])
  const all = behind(recent, ONE, 1, 6)!
  const leaf = second.events.at(-1)!.leaf
  t.same(all, { events: eventsOf(first, second), employees: new Map(), upTo: 6, leaf, generation: null, isEnd: true })
  t.strictSame(behind(recent, ONE, 4, 6)?.events, eventsOf(second))
  t.equal(behind(recent, ONE, 4, 6)?.events[0], all.events[3])
  t.strictSame(behind(recent, OTHER, 1, 3)?.events, eventsOf(beside))
})

await t.test('a batch has whole calls up to its limit, or one larger call', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  const [first, second, third] = [ledger.append(creating(2)), ledger.append(creating(4)), ledger.append(creating(1))]
  recent.keep([first, second, third])
  const given = (after: number, limit: number) => behind(recent, ONE, after, ledger.head(), limit)
  t.match(given(1, 2), { events: { length: 3 }, leaf: first.events.at(-1)!.leaf, isEnd: false }, 'a larger call alone')
  t.match(given(1, 5), { events: { length: 3 }, isEnd: false })
  t.match(given(1, 8), { events: { length: 8 }, leaf: second.events.at(-1)!.leaf, isEnd: false })
  t.match(given(1, 11), { events: { length: 10 }, leaf: third.events.at(-1)!.leaf, isEnd: true })
})

await t.test('employees have their state after the last call of the batch', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  const hire = hired(7)
  const promote: NewEvent = {
    type: 'EmployeeUpdated',
    stream: hire.stream,
    version: 2,
    index: 0,
    data: { changes: { job_title: { from: null, to: 'Director' } } },
  }
  const before = fold([hire], BEFORE).get(hire.stream)!
  const after = fold([hire, promote], BEFORE).get(hire.stream)!
  const closing = creating(1).at(-1)!
  recent.keep([ledger.append([hire, closing], [before]), ledger.append([promote, closing], [after])])
  const given = (limit: number) => behind(recent, ONE, 1, ledger.head(), limit)?.employees
  t.strictSame(given(2), new Map([[hire.stream, before]]))
  t.strictSame(given(4), new Map([[hire.stream, after]]))
})

await t.test('there is no batch if the ledger has other events than those kept', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  recent.keep([ledger.append(creating(1))])
  t.ok(behind(recent, ONE, 1, 3))
  t.equal(behind(recent, ONE, 0, 3), null, 'before')
  t.equal(behind(recent, ONE, 1, 4), null, 'after')
  t.equal(behind(recent, ONE, 3, 3), null, 'no new events')
  t.equal(behind(recent, OTHER, 1, 3), null, 'another company')
  ledger.append(creating(1))
  const last = ledger.append(creating(1))
  recent.keep([last])
  t.equal(behind(recent, ONE, 1, 7), null, 'between')
  t.strictSame(behind(recent, ONE, 5, 7)?.events, eventsOf(last))
})

await t.test('a batch never mixes two histories', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  const fork = ledger.fork()
  recent.keep([ledger.append(creating(1))])
  ledger.goBackTo(fork)
  ledger.append(creating(1))
  const last = ledger.append(creating(2))
  recent.keep([last])
  t.equal(behind(recent, ONE, 1, 6), null)
  t.strictSame(behind(recent, ONE, 3, 6)?.events, eventsOf(last))
})

await t.test('calls confirmed out of order are not mixed up', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  const [first, second] = [ledger.append(creating(1)), ledger.append(creating(1))]
  recent.keep([second])
  recent.keep([first])
  t.equal(behind(recent, ONE, 1, 5), null)
  t.strictSame(behind(recent, ONE, 1, 3)?.events, eventsOf(first))
})

await t.test('the oldest calls are dropped when there is too much, and each after its time', async (t) => {
  let time = 0
  const ledger = openLedger(ONE)
  const calls = Array.from({ length: 4 }, () => ledger.append(creating(1)))
  const maxCharacters = calls
    .slice(2)
    .flatMap(({ events }) => events)
    .reduce((sum, { data }) => sum + HEADER_BYTES + data.length, 0)
  const recent = createRecentEvents({ readers: 2, maxCharacters, keptMs: 100, now: () => time })
  for (const call of calls) {
    recent.keep([call])
    time += 10
  }
  t.equal(behind(recent, ONE, 3, 9), null)
  t.equal(behind(recent, ONE, 5, 9)?.events.length, 4)
  time = 125
  t.equal(behind(recent, ONE, 5, 9), null)
  t.equal(behind(recent, ONE, 7, 9)?.events.length, 2)
  time = 131
  t.equal(behind(recent, ONE, 7, 9), null)
})

await t.test('events are dropped once every projection has folded them', async (t) => {
  const [recent, ledger] = [createRecentEvents({ readers: 2 }), openLedger(ONE)]
  recent.keep([ledger.append(creating(1)), ledger.append(creating(1))])
  recent.folded(ONE, { after: 1, upTo: 5 })
  t.equal(behind(recent, ONE, 1, 5)?.events.length, 4)
  recent.folded(ONE, { after: 1, upTo: 3 })
  t.equal(behind(recent, ONE, 1, 5), null)
  t.equal(behind(recent, ONE, 3, 5)?.events.length, 2)
})

await t.test('forgetting one company keeps the others', async (t) => {
  const [recent, ledger, other] = [createRecentEvents({ readers: 2 }), openLedger(ONE), openLedger(OTHER)]
  recent.keep([ledger.append(creating(1)), other.append(creating(1))])
  recent.forget([ONE])
  t.equal(behind(recent, ONE, 1, 3), null)
  t.ok(behind(recent, OTHER, 1, 3))
})

await t.test('a batch has limited characters, and a call that exceeds them alone is not kept', async (t) => {
  const ledger = openLedger(ONE)
  const [first, second, large, next] = [1, 1, 20, 1].map((count) => ledger.append(creating(count)))
  const sizeOf = ({ events }: StoredCall) => events.reduce((sum, { data }) => sum + HEADER_BYTES + data.length, 0)
  const recent = createRecentEvents({ readers: 1, batchCharacters: sizeOf(first!) + sizeOf(second!) - 1 })
  recent.keep([first!, second!])
  t.match(behind(recent, ONE, 1, 5), { events: { length: first!.events.length }, isEnd: false })
  t.match(behind(recent, ONE, 3, 5), { events: { length: second!.events.length }, isEnd: true })
  recent.keep([large!])
  t.equal(behind(recent, ONE, 5, 26), null)
  t.equal(behind(recent, ONE, 3, 26), null)
  recent.keep([next!])
  t.match(behind(recent, ONE, 26, 28), { upTo: 28, isEnd: true })
})
