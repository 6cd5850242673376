import t from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import type { RecordedEvent } from '../../src/domain/events.ts'
import { createRecentEvents } from '../../src/ledger/append/recent-events.ts'
import { foldNext } from '../../src/workers/project.ts'
import { makeHistory } from '../support/rebuilding.ts'
import { startService } from '../support/service.ts'

/** The types of the events whose data a fold has looked at. */
const decoded = new Set<string>()

/** The event, which notes that its data is looked at. */
function watch(event: RecordedEvent): RecordedEvent {
  const watched = Object.defineProperties({}, Object.getOwnPropertyDescriptors(event))
  const get = () => {
    decoded.add(event.type)
    return event.data
  }
  return Object.defineProperty(watched, 'data', { get, enumerable: true }) as RecordedEvent
}

const kept = createRecentEvents({ readers: PROJECTIONS.length, keptMs: 600_000 })
const recent: typeof kept = {
  ...kept,
  callsBehind(...asked) {
    const calls = kept.callsBehind(...asked)
    return calls && { ...calls, events: calls.events.map(watch) }
  },
}
const service = await startService(t, {}, { recent })
await service.project(service.company.id)
await makeHistory(service, service.company, 1)

const LOOKED_AT: Record<string, string[]> = {
  employees: [],
  'bulk-user-logs': ['ApiCallCompleted', 'ApiCallFailed', 'EmployeeRecordRejected', 'EmployeeUpdated'],
}

for (const projection of PROJECTIONS) {
  await t.test(`${projection.name} decodes no remembered event that it has no need of`, async (t) => {
    decoded.clear()
    const { after, position } = await foldNext(service.db, projection, service.company.id, { recent })
    t.ok(position > after)
    t.strictSame([...decoded].toSorted(), LOOKED_AT[projection.name])
  })
}
