import { html } from 'hono/html'
import type { RecordError } from '../../../domain/errors.ts'
import type { NewEvent } from '../../../domain/events.ts'
import type { FileFault } from '../../../../clients/typescript/spreadsheets/file-error.ts'
import { readPointer } from '../../../../clients/typescript/spreadsheets/read-records.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber, listAttributes, renderChange, renderValue } from '../parts/shown-values.ts'
import type { UploadedFile } from './read-file.ts'

/** The lines of changes and of errors that are shown. */
const SHOWN = 200

/** The numbers of records by what happens to them. */
export interface PreviewCounts {
  created: number
  changed: number
  unchanged: number
  refused: number
}

/** Counts what the events of a call do to its records. */
export function countEffects(events: readonly NewEvent[], total: number): PreviewCounts {
  const created = events.filter(({ type }) => type === 'EmployeeCreated').length
  const refused = events.filter(({ type }) => type === 'EmployeeRecordRejected').length
  const changed = new Set(events.filter(isChange).map(({ index }) => index)).size
  return { created, changed, unchanged: refused > 0 ? 0 : total - created - changed, refused }
}

function isChange({ type }: NewEvent): boolean {
  return type === 'EmployeeUpdated' || type === 'EmployeeDeactivated' || type === 'EmployeeReactivated'
}

export function renderPreviewCounts(counts: PreviewCounts): Html {
  return html`<dl class="counts">
    ${Object.entries(counts).map(
      ([name, count]) =>
        html`<div>
          <dt>${name.charAt(0).toUpperCase()}${name.slice(1)}</dt>
          <dd>${formatNumber(count)}</dd>
        </div>`,
    )}
  </dl>`
}

/** A line of a table: where in the file, which attribute, and what about it. */
interface PreviewLine {
  place: string
  field: string
  what: Html
}

/** Renders what a call sets and changes, old and new values, by the lines of the file. */
export function renderEffects(events: readonly NewEvent[], file: UploadedFile): Html {
  const lines = events.flatMap((event) =>
    listEffects(event).map((effect) => ({ ...effect, place: placeOf(event.index ?? 0, file) })),
  )
  return renderTable('Changes', ['Attribute', 'Old and new value'], lines)
}

function listEffects(event: NewEvent): Omit<PreviewLine, 'place'>[] {
  switch (event.type) {
    case 'EmployeeCreated':
      return listAttributes(event.data.attributes).map(([field, value]) => ({
        field,
        what: html`<ins>${renderValue(value)}</ins>`,
      }))
    case 'EmployeeUpdated':
      return Object.entries(event.data.changes).map(([field, change]) => ({ field, what: renderChange(change) }))
    case 'EmployeeDeactivated':
      return [{ field: 'status', what: renderChange({ from: 'active', to: 'inactive' }) }]
    case 'EmployeeReactivated':
      return [{ field: 'status', what: renderChange({ from: 'inactive', to: 'active' }) }]
    default:
      return []
  }
}

/** Renders the errors of records, by the lines and columns of the file. */
export function renderRecordErrors(errors: readonly RecordError[], file: UploadedFile): Html {
  const lines = errors.map(({ index, pointer, message }) => {
    const field = readPointer(pointer)
    const column = file.columns.get(field)
    const place = placeOf(index ?? 0, file)
    return { place: column === undefined ? place : `${place}, column ${column}`, field, what: html`${message}` }
  })
  return renderTable('Errors', ['Attribute', 'Error'], lines)
}

/** Renders what is wrong with a file. */
export function renderFileFaults(faults: readonly FileFault[]): Html {
  const lines = faults.map(({ line, column, message }) => ({
    place: `Line ${line}${column === null ? '' : `, column ${column}`}`,
    field: '',
    what: html`${message}`,
  }))
  return renderTable('Errors in the file', ['Attribute', 'Error'], lines)
}

function placeOf(index: number, { lines }: UploadedFile): string {
  const line = lines[index]
  return line === undefined ? `Record ${index}` : `Line ${line}`
}

function renderTable(caption: string, [field, what]: readonly [string, string], lines: readonly PreviewLine[]): Html {
  if (lines.length === 0) return html``
  const more = lines.length - SHOWN
  return html`<table class="cards preview">
      <caption>${caption}</caption>
      <thead>
        <tr><th scope="col">Place</th><th scope="col">${field}</th><th scope="col">${what}</th></tr>
      </thead>
      <tbody>
        ${lines.slice(0, SHOWN).map(
          (line) =>
            html`<tr>
              <th scope="row">${line.place}</th>
              <td data-label="${field}"><bdi>${line.field}</bdi></td>
              <td data-label="${what}">${line.what}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more > 0 ? html`<p class="hint">and ${formatNumber(more)} more</p>` : ''}`
}
