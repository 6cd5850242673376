import { html } from 'hono/html'
import type { LogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import type { LogRecord, RecordOutcome } from '../../../../projections/bulk-user-logs/records-queries.ts'
import { getRecordOutcome } from '../../../../projections/bulk-user-logs/records-queries.ts'
import type { Employee } from '../../../domain/employees/employee.ts'
import { isId } from '../../../domain/ids.ts'
import type { ShownRecord } from '../../admin/log-records.ts'
import { renderStatusBadge } from '../parts/badges.ts'
import { LOGS_PATH } from './list.ts'
import { buildEmployeeUrl } from '../events/event-values.ts'
import type { Html } from '../parts/page.ts'
import { renderRefusedRecord } from './refused-record.ts'
import { listAttributes, renderChange, renderValue } from '../parts/shown-values.ts'

/** A record with the details that a page shows. */
export interface PageRecord {
  row: LogRecord
  shown: ShownRecord
  outcome: RecordOutcome
  /** The employee's current state; undefined when there is none, or it was erased. */
  employee: Employee | undefined
}

/** Joins the rows of a page with the data of their events and with their employees. */
export function joinRecords(
  entry: LogEntry,
  rows: LogRecord[],
  shown: ShownRecord[],
  employees: Map<string, Employee>,
): PageRecord[] {
  return rows.map((row, at) => {
    const record = shown[at]!
    const { employee_id: id } = record
    return {
      row,
      shown: record,
      outcome: getRecordOutcome(entry, row),
      employee: typeof id === 'string' ? employees.get(id) : undefined,
    }
  })
}

/** Renders one record: its employee, its outcome, and what was set, changed or refused. */
export function renderRecord({ entry }: LogEntry, record: PageRecord, level: 2 | 3): Html {
  const { shown, outcome } = record
  const { index } = shown
  const title =
    index === null ? html`Whole call` : html`<a href="${LOGS_PATH}/${entry.id}/records/${index}">Record ${index}</a>`
  const heading = html`${title} ${renderStatusBadge(outcome)}`
  return html`<li class="record" ${index === null ? '' : html`id="record-${index}"`}>
    ${level === 2 ? html`<h2>${heading}</h2>` : html`<h3>${heading}</h3>`} ${renderRecordEmployee(record)}
    ${renderRecordDetails(record)}
  </li>`
}

/** Renders the employee. The log keeps only an id: the name and email are current. */
function renderRecordEmployee({ shown, employee, outcome }: PageRecord): Html {
  const { employee_id: id } = shown
  if (id === null || id === undefined) return html``
  const text = html`<code><bdi>${typeof id === 'string' ? id : JSON.stringify(id)}</bdi></code>`
  // A refused record may name an employee that the company does not have.
  const isOurs = typeof id === 'string' && isId('emp', id) && (employee !== undefined || outcome !== 'Failed')
  const idText = isOurs ? html`<a href="${buildEmployeeUrl(id)}">${text}</a>` : text
  if (!employee) return html`<p>${idText}</p>`
  return html`<p>
    <span class="hint">Now:</span> <strong><bdi>${employee.first_name} ${employee.last_name}</bdi></strong>
    <bdi>${employee.email}</bdi> ${idText}
  </p>`
}

function renderRecordDetails(record: PageRecord): Html {
  const { shown, outcome } = record
  if (shown.erased) return html`<p class="hint">This data has been erased. The call and its outcome remain.</p>`
  if (outcome === 'Failed') {
    const { index, errors, record: sent } = shown
    const label = index === null ? 'The call as sent' : `Record ${index} as sent`
    return renderRefusedRecord(shown, makePointersRelative(sent, index, errors ?? []), label)
  }
  if (shown.attributes) return renderSetAttributes(shown.attributes)
  if (shown.changes) return renderChangedAttributes(shown.changes)
  return html`<p class="hint">No changes</p>`
}

type Messages = NonNullable<ShownRecord['errors']>

/** Makes the API's pointers, which lead into the body, relative to the record. A body holds records in three ways. */
function makePointersRelative(sent: unknown, index: number | null, messages: Messages): Messages {
  if (sent === null || index === null) return messages
  const prefix = [`/employees/${index}`, `/${index}`].find((start) =>
    messages.every(({ pointer }) => `${pointer}/`.startsWith(`${start}/`)),
  )
  return prefix === undefined
    ? messages
    : messages.map((message) => ({ ...message, pointer: message.pointer.slice(prefix.length) }))
}

function renderSetAttributes(attributes: Record<string, unknown>): Html {
  const rows = listAttributes(attributes)
  return html`<table class="attributes">
    <caption class="visually-hidden">
      Set attributes
    </caption>
    <tbody>
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th scope="row"><bdi>${name}</bdi></th>
            <td>${renderValue(value)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function renderChangedAttributes(changes: NonNullable<ShownRecord['changes']>): Html {
  return html`<table class="attributes">
    <caption class="visually-hidden">
      Changed attributes, old and new values
    </caption>
    <tbody>
      ${Object.entries(changes).map(
        ([name, change]) =>
          html`<tr>
            <th scope="row"><bdi>${name}</bdi></th>
            <td>${renderChange(change)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
