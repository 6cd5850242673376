import { changesOf } from '../employees/employee-history.ts'
import { CUSTOM_PREFIX } from '../employees/employee.ts'
import type { CustomValue } from '../attributes.ts'
import { EVENT_TYPES } from '../event-types.ts'
import type { AttributeChanges, AttributeValue, NewEvent, RecordedEvent } from '../events.ts'
import { RecordErrors } from '../record-faults.ts'
import type { ReadRecord, RecordPatch } from './call-records.ts'

/** An event of a call, recorded or not. */
type CallEvent = NewEvent | RecordedEvent

/**
 * Plans to take back what the events of a call changed: a record for each employee, in the order of the call. An
 * attribute gets its old value if it still has the one that the call gave it. Somebody whom the call created becomes
 * inactive if nothing was changed since. What was erased since leaves a record of nobody.
 */
export function* planUndo(events: Iterable<CallEvent>): Generator<ReadRecord, void> {
  let own: CallEvent[] = []
  let index = 0
  const flush = () => (own.length === 0 ? [] : [takeBack(own, index++)])
  for (const event of events) {
    if (EVENT_TYPES[event.type].stream !== 'emp') continue
    if (own.length > 0 && own[0]!.stream !== event.stream) {
      yield* flush()
      own = []
    }
    own.push(event)
  }
  yield* flush()
}

function takeBack(events: readonly CallEvent[], index: number): ReadRecord {
  const [{ stream: id, type }] = events as [CallEvent]
  const last = events.at(-1)!
  const changes: AttributeChanges = {}
  for (const event of events) Object.assign(changes, changesOf(event))
  const isErased = events.some(({ data }) => data === null)
  const isNew = type === 'EmployeeCreated'
  const { patch, values } = isNew && !isErased ? LEFT : revert(changes)
  const { manager_id: managerId, ...others } = patch
  const sent = { id, ...patch }
  return {
    index,
    list: '',
    sent,
    locator: { field: 'id', value: id },
    patch: others,
    localPhones: [],
    managers: managerId === undefined ? [] : [{ field: 'manager_id', locator: byId(managerId) }],
    statedId: null,
    errors: new RecordErrors(),
    expects: isNew ? { version: last.version } : { values },
    isExact: true,
  }
}

const LEFT = { patch: { status: 'inactive' } satisfies RecordPatch as RecordPatch, values: {} }

function byId(value: string | null) {
  return value === null ? null : { field: 'id' as const, value }
}

/** The patch that gives attributes their old values, and the values that they have now if nobody has changed them. */
function revert(changes: AttributeChanges): { patch: RecordPatch; values: Record<string, AttributeValue> } {
  const patch: Record<string, AttributeValue> = {}
  const custom: Record<string, CustomValue | null> = {}
  const values: Record<string, AttributeValue> = {}
  for (const [name, { from, to }] of Object.entries(changes)) {
    values[name] = to
    if (name.startsWith(CUSTOM_PREFIX)) custom[name.slice(CUSTOM_PREFIX.length)] = from
    else patch[name] = from
  }
  const all = Object.keys(custom).length === 0 ? patch : { ...patch, custom_attributes: custom }
  return { patch: all, values }
}
