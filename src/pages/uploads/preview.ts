import { type Employee, formatFullName } from '#domain/employees/employee'
import { changesOf } from '#domain/employees/employee-history'
import type { RecordError } from '#domain/errors'
import type { NewEvent } from '#domain/events'
import { type EventTypeWith, isCallEvent } from '#domain/event-types'
import { isId } from '#domain/ids'
import type { FileFault } from '#spreadsheets/file-error'
import { readPointer } from '#spreadsheets/rows/read-records'
import type { PartCounts } from '#domain/uploads'
import { nameRow, type PartRecords } from '#uploads/part-records'
import type { PartPreview } from '#uploads/run-part'
import { nameRecord } from '#log/refused-records'
import { renderAttributeName, listAttributes, renderChange, renderValue } from '#pages/parts/attribute-values'
import { isolate, renderCounts, html, type Html, renderTable, renderHint, renderAlert } from '#pages/parts/elements'
import { toSentence } from '#pages/parts/form'
import { formatNumber } from '#wording/numbers'
import { describeCause } from '#pages/parts/call-words'

/** The people and the errors that are shown, and the attributes of a person. */
const SHOWN = 200
const MAX_ATTRIBUTES = 40
/** The causes that are shown, most frequent first. */
const MAX_CAUSES = 10

const LABELS: Readonly<Record<keyof PartCounts, string>> = {
  created: 'Created',
  changed: 'Changed',
  unchanged: 'Unchanged',
  refused: 'Refused',
  unreadable: 'Unreadable',
  inactive: 'Stay inactive',
}

const SHOWN_IF_ANY: ReadonlySet<keyof PartCounts> = new Set(['unreadable', 'inactive'])

/** Renders what happens to rows, in numbers. */
export function renderPreviewCounts(counts: PartCounts) {
  const names = (Object.keys(LABELS) as (keyof PartCounts)[]).filter(
    (name) => !SHOWN_IF_ANY.has(name) || counts[name] > 0,
  )
  return html`${renderCounts(names.map((name) => [LABELS[name], counts[name]]))}
  ${counts.inactive > 0 && renderHint(describeInactive(counts.inactive))}`
}

function describeInactive(count: number): string {
  const what =
    count === 1 ? '1 row names an inactive person and sets' : `${formatNumber(count)} rows name inactive people and set`
  return `${what} no status, so they stay inactive. People who have come back need the status active in their row.`
}

/** Renders what is wrong with a part, and what its other rows change. `employees` are as they are now, by id. */
export function renderPreview(
  { records, events, errors, refusal, awaiting }: PartPreview,
  employees: ReadonlyMap<string, Employee>,
) {
  return html`${refusal && renderAlert(toSentence(refusal.detail))}
    ${
      awaiting > 0 &&
      renderHint(
        `${formatNumber(awaiting)} ${awaiting === 1 ? 'row has a manager' : 'rows have managers'} in an earlier ` +
          'part, which is applied first. The manager is not among the changes below.',
      )
    }
    ${renderFileFaults(records.faults)} ${renderRecordErrors(errors, records)}
    ${renderNotes(records.notes)} ${renderEffects(events, records, employees)}`
}

/** A line of a table: where in the file, who, and what about them, which is rendered if it is shown. */
interface PreviewLine {
  place: string
  /** Empty if nobody knows. */
  person: string
  what: () => Html
}

/** An attribute that an event sets or changes; `from` is absent if it sets one of a new employee. */
interface Change {
  field: string
  from?: unknown
  to: unknown
}

/** What lines have in common: it has a name, and is rendered if it is shown. */
type Cause = readonly [name: string, words: () => Html]

type RecordEvent = Extract<NewEvent, { type: EventTypeWith<{ isOfCall: true }> }>

/** Renders what a call does to each person: old and new values, the most frequent changes first. */
function renderEffects(events: readonly NewEvent[], records: PartRecords, employees: ReadonlyMap<string, Employee>) {
  const people = groupByRecord(events)
  const names = new Map([...employees].map(([id, employee]) => [id, formatFullName(employee)]))
  for (const event of events)
    if (event.type === 'EmployeeCreated') names.set(event.stream, formatFullName(event.data.attributes))
  const lines = people.map(([index, some]): PreviewLine => ({
    place: nameRow(records.rows[index]!),
    person: namePerson(records.body[index], employees.get(some[0]!.stream)),
    what: () => renderEffectsOf(some, names),
  }))
  const causes = people.flatMap(([, some]) =>
    some.flatMap(listCauses).map((name): Cause => [name, () => renderAttributeName(name)]),
  )
  return renderLines('Changes', 'Old and new values', lines, causes)
}

/** `names` are those of employees, by id: managers are shown by name. */
function renderEffectsOf(events: readonly RecordEvent[], names: ReadonlyMap<string, string>) {
  const nameOf = (value: unknown) => (isId('emp', value) ? (names.get(value) ?? value) : value)
  const changes = events.flatMap(listChanges)
  const more = changes.length - MAX_ATTRIBUTES
  const renderEffect = (change: Change) =>
    'from' in change
      ? renderChange({ from: nameOf(change.from), to: nameOf(change.to) })
      : html`<ins>${renderValue(nameOf(change.to))}</ins>`
  const shown = changes
    .slice(0, MAX_ATTRIBUTES)
    .map((change) => html`<div>${renderAttributeName(change.field)} ${renderEffect(change)}</div>`)
  return html`${shown}
  ${more > 0 && html`<div class="hint">and ${formatNumber(more)} more</div>`}`
}

/** The ids of the employees whose changes are shown, and of their managers. */
export function listShownEmployees({ events }: Pick<PartPreview, 'events'>): string[] {
  const shown = groupByRecord(events).slice(0, SHOWN)
  return [...new Set(shown.flatMap(([, some]) => some.flatMap((event) => [event.stream, ...listManagers(event)])))]
}

function listManagers(event: RecordEvent): string[] {
  const change = listChanges(event).find(({ field }) => field === 'manager_id')
  return [change?.from, change?.to].filter((value) => isId('emp', value))
}

function groupByRecord(events: readonly NewEvent[]): [index: number, events: RecordEvent[]][] {
  const some = events.filter(isCallEvent).filter((event) => listCauses(event).length > 0)
  return [...Map.groupBy(some, ({ index }) => index ?? 0)]
}

/** What kind of change an event is: a new employee, or other values of attributes. */
function listCauses(event: RecordEvent): string[] {
  return event.type === 'EmployeeCreated' ? ['created'] : listChanges(event).map(({ field }) => field)
}

function namePerson(record: unknown, employee: Employee | undefined): string {
  const named = nameRecord({ employee, shown: { record, truncated: false, attributes: null } })
  return named.name ?? named.email ?? named.external_id ?? ''
}

/** Lists what an event sets or changes; errors have a table of their own. */
function listChanges(event: RecordEvent): Change[] {
  if (event.type === 'EmployeeCreated')
    return listAttributes(event.data.attributes).map(([field, to]) => ({ field, to }))
  return Object.entries(changesOf(event)).map(([field, change]) => ({ field, ...change }))
}

/** Renders the errors of records, by their causes, and by the lines and columns of the file. */
function renderRecordErrors(errors: readonly RecordError[], records: PartRecords) {
  const placed = errors.map(({ index, pointer, message }) => {
    const cause = { message, pointer: pointer.replace(/^(?:\/employees)?\/\d+/, '') }
    return { index, field: readPointer(pointer), cause, what: () => describeCause(cause) }
  })
  const lines = placed.map(({ index, field, what }) => {
    const column = records.columns.get(field)
    const place = nameRow(records.rows[index]!)
    return {
      place: column === undefined ? place : `${place}, column ${column}`,
      person: namePerson(records.body[index], undefined),
      what,
    }
  })
  const causes = placed.map(({ cause, what }): Cause => [`${cause.pointer} ${cause.message}`, what])
  return renderLines('Errors', 'Error', lines, causes)
}

/** Renders what is wrong with a file. */
export function renderFileFaults(faults: readonly FileFault[]) {
  return renderLines('Errors in the file', 'Error', listPlaces(faults))
}

/** Renders what is left out, as somebody chose. */
function renderNotes(notes: readonly FileFault[]) {
  return renderLines('Values left out', 'Reason', listPlaces(notes))
}

function listPlaces(faults: readonly FileFault[]): PreviewLine[] {
  return faults.map(({ line, column, message }) => ({
    place: `Line ${line}${column === null ? '' : `, column ${column}`}`,
    person: '',
    what: () => html`${message}`,
  }))
}

/** Renders lines below what they have in common: `causes` has each cause once for each line that has it. */
function renderLines(caption: string, heading: string, lines: readonly PreviewLine[], causes: readonly Cause[] = []) {
  if (lines.length === 0) return html``
  const more = lines.length - SHOWN
  const hasPeople = lines.some(({ person }) => person !== '')
  return html`${renderCauses(`${caption} by cause`, causes)}
  ${renderTable<PreviewLine>({
    caption,
    isCaptionShown: true,
    columns: {
      Place: (line) => line.place,
      ...(hasPeople && { Person: (line: PreviewLine) => isolate(line.person) }),
      [heading]: (line) => line.what(),
    },
    rows: lines.slice(0, SHOWN),
  })}
    ${more > 0 && renderHint(`and ${formatNumber(more)} more`)}`
}

/** Renders how many lines have the same cause, most frequent first, if any two do. */
function renderCauses(label: string, causes: readonly Cause[]) {
  const groups = [...Map.groupBy(causes, ([name]) => name).values()].toSorted((a, b) => b.length - a.length)
  if ((groups[0]?.length ?? 0) < 2) return html``
  const further = groups.length - MAX_CAUSES
  return html`<ul class="causes cluster" aria-label="${label}">
    ${groups
      .slice(0, MAX_CAUSES)
      .map((same) => html`<li><span class="unbroken">${formatNumber(same.length)} ×</span> ${same[0]![1]()}</li>`)}
    ${further > 0 && html`<li class="hint">and ${formatNumber(further)} more</li>`}
  </ul>`
}
