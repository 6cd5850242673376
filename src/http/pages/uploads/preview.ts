import { html } from 'hono/html'
import type { RecordError } from '../../../domain/errors.ts'
import type { NewEvent } from '../../../domain/events.ts'
import { type EventTypeWith, isCallEvent } from '../../../domain/event-types.ts'
import type { FileFault } from '../../../../clients/typescript/spreadsheets/file-error.ts'
import { readPointer } from '../../../../clients/typescript/spreadsheets/read-records.ts'
import type { PartCounts } from '../../../domain/uploads.ts'
import type { PartRecords } from '../../../uploads/part-records.ts'
import type { PartPreview } from '../../../uploads/run-part.ts'
import { toSentence } from '../parts/form.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber, listAttributes, renderChange, renderValue } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'

/** The lines of changes and of errors that are shown. */
const SHOWN = 200

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
export function renderPreviewCounts(counts: PartCounts): Html {
  const names = (Object.keys(LABELS) as (keyof PartCounts)[]).filter(
    (name) => !SHOWN_IF_ANY.has(name) || counts[name] > 0,
  )
  return html`<dl class="counts">
    ${names.map(
      (name) =>
        html`<div>
          <dt>${LABELS[name]}</dt>
          <dd>${formatNumber(counts[name])}</dd>
        </div>`,
    )}
  </dl>
  ${counts.inactive > 0 ? html`<p class="hint">${describeInactive(counts.inactive)}</p>` : ''}`
}

function describeInactive(count: number): string {
  const what =
    count === 1 ? '1 row names an inactive person and sets' : `${formatNumber(count)} rows name inactive people and set`
  return `${what} no status, so they stay inactive. Whoever comes back needs the status active in their row.`
}

/** Renders what is wrong with a part, and what its other rows set and change. */
export function renderPreview({ records, events, errors, refusal, awaiting }: PartPreview): Html {
  return html`${refusal ? html`<p class="alert" role="alert">${toSentence(refusal.detail)}</p>` : ''}
    ${
      awaiting > 0
        ? html`<p class="hint">
            ${formatNumber(awaiting)} ${awaiting === 1 ? 'row has a manager' : 'rows have managers'} in an earlier part,
            which is applied first. The manager is not among the changes below.
          </p>`
        : ''
    }
    ${renderFileFaults(records.faults)} ${renderRecordErrors(errors, records)}
    ${renderNotes(records.notes)} ${renderEffects(events, records)}`
}

/** A line of a table: where in the file, which attribute, and what about it, which is rendered if it is shown. */
interface PreviewLine {
  place: string
  field: string
  what: () => Html
}

/** Renders what a call sets and changes, old and new values, by the lines of the file. */
function renderEffects(events: readonly NewEvent[], records: PartRecords): Html {
  const lines = events
    .filter(isCallEvent)
    .flatMap((event) => listEffects(event).map((effect) => ({ ...effect, place: placeOf(event.index ?? 0, records) })))
  return renderLines('Changes', ['Attribute', 'Old and new value'], lines)
}

function listEffects(
  event: Extract<NewEvent, { type: EventTypeWith<{ isOfCall: true }> }>,
): Omit<PreviewLine, 'place'>[] {
  switch (event.type) {
    case 'EmployeeCreated':
      return listAttributes(event.data.attributes).map(([field, value]) => ({
        field,
        what: () => html`<ins>${renderValue(value)}</ins>`,
      }))
    case 'EmployeeUpdated':
      return Object.entries(event.data.changes).map(([field, change]) => ({ field, what: () => renderChange(change) }))
    case 'EmployeeDeactivated':
      return [{ field: 'status', what: () => renderChange({ from: 'active', to: 'inactive' }) }]
    case 'EmployeeReactivated':
      return [{ field: 'status', what: () => renderChange({ from: 'inactive', to: 'active' }) }]
    // Errors have a table of their own.
    case 'EmployeeRecordRejected':
    case 'ApiCallCompleted':
    case 'ApiCallFailed':
      return []
  }
}

/** Renders the errors of records, by the lines and columns of the file. */
function renderRecordErrors(errors: readonly RecordError[], records: PartRecords): Html {
  const lines = errors.map(({ index, pointer, message }) => {
    const field = readPointer(pointer)
    const column = records.columns.get(field)
    const place = placeOf(index, records)
    return { place: column === undefined ? place : `${place}, column ${column}`, field, what: () => html`${message}` }
  })
  return renderLines('Errors', ['Attribute', 'Error'], lines)
}

/** Renders what is wrong with a file. */
export function renderFileFaults(faults: readonly FileFault[]): Html {
  return renderLines('Errors in the file', ['Attribute', 'Error'], listPlaces(faults))
}

/** Renders what is left out, as somebody chose. */
function renderNotes(notes: readonly FileFault[]): Html {
  return renderLines('Values left out', ['Attribute', 'Reason'], listPlaces(notes))
}

function listPlaces(faults: readonly FileFault[]): PreviewLine[] {
  return faults.map(({ line, column, message }) => ({
    place: `Line ${line}${column === null ? '' : `, column ${column}`}`,
    field: '',
    what: () => html`${message}`,
  }))
}

function placeOf(index: number, { rows }: PartRecords): string {
  const { line, row } = rows[index]!
  return line === undefined ? `Record ${row - 1}` : `Line ${line}`
}

function renderLines(caption: string, [field, what]: readonly [string, string], lines: readonly PreviewLine[]): Html {
  if (lines.length === 0) return html``
  const more = lines.length - SHOWN
  return html`${renderTable({
    caption,
    isCaptionShown: true,
    look: 'preview',
    columns: [
      { heading: 'Place', cell: (line) => line.place },
      { heading: field, cell: (line) => html`<bdi>${line.field}</bdi>` },
      { heading: what, cell: (line) => line.what() },
    ],
    rows: lines.slice(0, SHOWN),
  })}
    ${more > 0 ? html`<p class="hint">and ${formatNumber(more)} more</p>` : ''}`
}
