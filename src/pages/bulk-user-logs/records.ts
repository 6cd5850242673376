import { makePointersRelative, type DetailedRecord, nameRecord } from '#log/refused-records'
import { createsAll } from '#domain/operations'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { isId } from '#domain/ids'
import { isObject } from '#domain/json'
import type { ShownRecord } from '#log/log-records'
import { formatField, jsonPointer } from '#domain/errors'
import { buildEmployeeUrl } from '#wording/navigation'
import { formatNumber, formatCount } from '#wording/numbers'
import {
  renderAttributeName,
  listAttributes,
  renderChange,
  renderValue,
  renderBreakable,
} from '#pages/parts/attribute-values'
import {
  isolate,
  renderCode,
  html,
  type Html,
  renderStatusBadge,
  renderEach,
  renderHint,
  renderJoined,
} from '#pages/parts/elements'
import { buildEntryUrl } from './entry.ts'

/** A message about a part of a record; its JSON Pointer (RFC 6901) is empty for the whole record. */
interface PlacedMessage {
  pointer: string
  code: string
  message: string
}

/** A refused record, and how much of it the log keeps. */
type RefusedRecord = Pick<ShownRecord, 'record' | 'truncated' | 'errors_omitted'>

/** The page shows the beginning of a longer record; downloads have all that the log keeps. */
const MAX_LINES = 500
const MAX_TEXT = 10_000
/** A record with this many lines scrolls in a box. */
const SCROLLED_FROM = 24

/**
 * Renders a record as sent, with each message below the line that it is about. Messages about no line come first; all
 * messages do when the record scrolls, so that none is hidden.
 */
function renderRefusedRecord(
  { record, truncated, errors_omitted: omitted }: RefusedRecord,
  messages: PlacedMessage[],
  label: string,
) {
  // A truncated record is no longer valid JSON.
  const cut = { content: isolate(shorten(String(record))), pointer: null }
  const lines = record === null ? [] : truncated ? [cut] : takeLines(renderLines(record, '', '', html``, ''))
  const places = new Set(lines.map(({ pointer }) => pointer))
  const isPlaced = ({ pointer }: PlacedMessage) => pointer !== '' && places.has(pointer)
  const placed = Map.groupBy(messages.filter(isPlaced), ({ pointer }) => pointer)
  const isScrolled = truncated || lines.length + placed.size >= SCROLLED_FROM
  const above = messages.filter((message) => isScrolled || !isPlaced(message))
  const faults = above.map((message) => html`<li>${renderMessage(message)}</li>`)
  const region = isScrolled ? html`tabindex="0" role="region" aria-label="${label}"` : ''
  const shown = lines.map(({ content, pointer }) => {
    const below = (placed.get(pointer ?? '') ?? []).map(({ message, code }) => {
      return html`<strong class="fault">↑ ${message} (${code})</strong>\n`
    })
    return html`${content}\n${below}`
  })
  const hint = (isTrue: boolean, text: string) => (isTrue ? renderHint(text) : '')
  return html`${above.length !== 0 && html`<ul>${faults}</ul>`}
  ${hint(
    omitted > 0,
    `The record has ${formatCount(omitted, 'more error')}. The log keeps the first ${messages.length}.`,
  )}
  ${lines.length !== 0 && html`<pre class="sent" ${region}>${shown}</pre>`}
  ${hint(truncated, 'The record was too large to keep in full. The log and its downloads have its beginning.')}
  ${hint(lines.length === MAX_LINES, `Showing the first ${MAX_LINES} lines; the download has all of them.`)}`
}

function renderMessage({ pointer, code, message }: PlacedMessage) {
  return html`<span class="fault">${message}</span>
    ${renderCode(code)}${pointer !== '' && html` at ${renderCode(isolate(pointer))}`}`
}

interface Line {
  content: Html
  /** Pointer to the value that begins on this line; null for a closing bracket. */
  pointer: string | null
}

function takeLines(lines: Iterable<Line>) {
  const beginning: Line[] = []
  for (const line of lines) if (beginning.push(line) === MAX_LINES) break
  return beginning
}

/** Renders a value as lines, with `before` (such as a name) in front and `after` (a comma) behind. */
function* renderLines(value: unknown, pointer: string, indent: string, before: Html, after: string): Generator<Line> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (members.length === 0) {
    yield { content: html`${indent}${before}${renderJson(value)}${after}`, pointer }
    return
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  yield { content: html`${indent}${before}${open}`, pointer }
  for (const [at, [name, member]] of members.entries()) {
    const head = Array.isArray(value) ? html`` : html`${renderJson(name)}: `
    yield* renderLines(member, jsonPointer(pointer, [name]), `${indent}  `, head, at < members.length - 1 ? ',' : '')
  }
  yield { content: html`${indent}${close}${after}`, pointer: null }
}

/** Renders a scalar or empty value, isolated from the surrounding writing direction. */
function renderJson(value: unknown) {
  return isolate(shorten(JSON.stringify(value)))
}

function shorten(text: string) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
}

/** Renders all that the log knows of a record: what was set or changed, or the record as sent with its errors. */
export function renderRecordDetails({ shown, outcome }: DetailedRecord) {
  if (shown.erased) return renderHint('This data has been erased. The call and its outcome remain.')
  if (outcome === 'Failed') {
    const { index, errors, record: sent } = shown
    return renderRefusedRecord(
      shown,
      makePointersRelative(sent, index, errors ?? []),
      `Record ${(index ?? 0) + 1} as sent`,
    )
  }
  if (shown.attributes)
    return renderAttributes(
      'Set attributes',
      listAttributes(shown.attributes).map(([name, value]) => [name, renderValue(value)]),
    )
  const changes = Object.entries(shown.changes ?? {})
  if (changes.length === 0) return renderHint('No changes')
  return renderAttributes(
    'Changed attributes, old and new values',
    changes.map(([name, change]) => [name, renderChange(change)]),
  )
}

function renderAttributes(caption: string, rows: [name: string, value: Html][]) {
  return html`<dl class="facts" aria-label="${caption}">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${renderAttributeName(name)}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** What the table of a call has in its columns after the number and the person. */
const COLUMNS = {
  refused: ['Field', 'Sent', 'Error'],
  created: ['Email', 'Attributes'],
  updated: ['Outcome', 'Attribute', 'Change'],
} as const

/** Renders the records of a page as a table: a line per error or change, and a body of lines per record. */
export function renderRecordTable(entry: LogEntry, records: DetailedRecord[]) {
  const refused = records.filter(({ outcome }) => outcome === 'Failed').length
  const isOfOneKind = refused === records.length || (refused === 0 && createsAll(entry.entry.operation))
  const kind = !isOfOneKind ? 'updated' : refused > 0 ? 'refused' : 'created'
  const columns = COLUMNS[kind]
  return html`<table class="cards records">
    <caption class="visually-hidden">
      Records, numbered from 1
    </caption>
    <thead>
      <tr>
        <th scope="col" class="number"><abbr title="Number in the call, from 0">#</abbr></th>
        <th scope="col">Person</th>
        ${columns.map((label) => html`<th scope="col">${label}</th>`)}
      </tr>
    </thead>
    ${renderEach(records, (record) => renderBody(entry, record, renderTableLines(kind, record), columns.length))}
  </table>`
}

function renderBody(entry: LogEntry, record: DetailedRecord, lines: Html[], columns: number) {
  const { index, erased } = record.shown
  const [first, ...further] = lines
  const number = (index ?? 0) + 1
  const isRefused = record.outcome === 'Failed'
  const hasDetails = !erased && (isRefused || record.outcome === 'Created')
  return html`<tbody class="record" id="record-${index ?? 'none'}">
    <tr>
      <th scope="row" rowspan="${lines.length}" class="number">
        <a href="${buildEntryUrl(entry)}/records/${index}"><span class="visually-hidden">Record </span>${number}</a>
      </th>
      <td rowspan="${lines.length}" class="person">${renderPerson(record)}</td>
      ${first}
    </tr>
    ${further.map((line) => html`<tr>${line}</tr>`)}
    ${
      hasDetails &&
      html`<tr class="in-full">
            <td colspan="${columns + 2}">
              <details>
                <summary>
                  <span class="visually-hidden">Record ${number} ${isRefused ? 'as sent' : 'in full'}</span>
                </summary>
                ${renderRecordDetails(record)}
              </details>
            </td>
          </tr>`
    }
  </tbody>`
}

function renderTableLines(kind: keyof typeof COLUMNS, record: DetailedRecord) {
  if (record.shown.erased)
    return [html`<td colspan="${COLUMNS[kind].length}" class="hint">This data has been erased.</td>`]
  if (kind === 'created') return [renderCreatedLine(record)]
  return kind === 'refused' ? renderErrorLines(record.shown, kind) : renderChangeLines(record)
}

/** Renders a line for each error of a refused record. Among changes, the value and its error share a cell. */
function renderErrorLines(shown: ShownRecord, kind: 'refused' | 'updated') {
  const { record, truncated, index, errors, errors_omitted: omitted } = shown
  const lines = makePointersRelative(record, index, errors ?? []).map(({ pointer, message }) => {
    const sent = truncated ? html`` : renderSent(record, pointer)
    const cells =
      kind === 'refused'
        ? html`<td class="value">${sent}</td>
            <td class="fault">${message}</td>`
        : html`<td class="value">${sent} <span class="fault">${message}</span></td>`
    return html`<td class="field">${renderBreakable(formatField(pointer))}</td>
      ${cells}`
  })
  if (omitted === 0) return lines
  return [
    ...lines,
    html`<td colspan="${kind === 'refused' ? 3 : 2}" class="hint">and ${formatNumber(omitted)} more</td>`,
  ]
}

/** Longer values, and further attributes, are cut; the record in full has all of them. */
const MAX_CELL_TEXT = 60
const MAX_SET = 8

/** Renders the value at a pointer into a record. */
function renderSent(record: unknown, pointer: string) {
  let value = record
  for (const name of pointer.split('/').slice(1)) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined
  }
  // An error about the record itself is not about its value, unless that is no object.
  if (value === undefined || (pointer === '' && isObject(value))) return html``
  return renderCode(renderBreakable(cut(JSON.stringify(value))))
}

function cut(text: string) {
  return text.length > MAX_CELL_TEXT ? `${text.slice(0, MAX_CELL_TEXT)}…` : text
}

function renderCreatedLine(record: DetailedRecord) {
  return html`<td class="email">${renderBreakable(nameRecord(record).email ?? '')}</td>
    <td class="set"><div>${renderSetAttributes(record)}</div></td>`
}

/** Renders the attributes of a created employee beside the name and the email. */
function renderSetAttributes({ shown }: DetailedRecord) {
  const { first_name: _first, last_name: _last, email: _email, ...rest } = shown.attributes ?? {}
  return listAttributes(rest)
    .slice(0, MAX_SET)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return html`<span>${renderAttributeName(name)} ${isolate(cut(text))}</span>`
    })
}

function renderChangeLines(record: DetailedRecord) {
  const { shown, outcome } = record
  const changes = Object.entries(shown.changes ?? {})
  const badge = (lines: number) => html`<td rowspan="${lines}" class="outcome">${renderStatusBadge(outcome)}</td>`
  if (outcome === 'Failed') {
    const lines = renderErrorLines(shown, 'updated')
    return lines.map((line, at) => html`${at === 0 && badge(lines.length)}${line}`)
  }
  // An upsert creates some employees and changes others.
  if (shown.attributes) return [html`${badge(1)} ${renderCreatedLine(record)}`]
  const lines = [
    ...changes.map(
      ([name, change]) =>
        html`<td class="field">${renderAttributeName(name)}</td>
          <td class="value">${renderChange(change)}</td>`,
    ),
    ...shown.left_out.map(
      ({ field, message }) =>
        html`<td class="field">${renderAttributeName(field)}</td>
          <td class="value">Left as it was: <span class="fault">${message}</span></td>`,
    ),
  ]
  if (lines.length === 0) return [html`${badge(1)}<td colspan="2" class="hint">No changes</td>`]
  return lines.map((line, at) => html`${at === 0 && badge(lines.length)} ${line}`)
}

/** Renders the person of a record. The log keeps only an id: the name is current, or was sent with a refused record. */
function renderPerson(record: DetailedRecord) {
  const { shown, employee } = record
  const { name, email, external_id: externalId } = nameRecord(record)
  const names = employee
    ? [name]
    : name === null
      ? [email ?? externalId ?? formatId(shown.employee_id)]
      : [name, email ?? externalId]
  const parts = names.filter((part) => part !== null)
  if (parts.length === 0) return shown.erased ? html`` : html`<span class="hint">not identified</span>`
  return linkEmployee(
    record,
    renderJoined(
      parts.map((part) => renderBreakable(part)),
      ' ',
    ),
  )
}

/** Renders the person of a record with email and id. */
export function renderPersonInFull(record: DetailedRecord) {
  const { employee, shown } = record
  const id = formatId(shown.employee_id)
  return html`${renderPerson(record)} ${employee && isolate(employee.email)}
  ${id !== null && renderCode(isolate(id))}`
}

function linkEmployee({ shown: { employee_id: id }, employee, outcome }: DetailedRecord, text: Html) {
  // A refused record may name an employee that the company does not have.
  const isOurs = typeof id === 'string' && isId('emp', id) && (employee !== undefined || outcome !== 'Failed')
  return isOurs ? html`<a href="${buildEmployeeUrl(id)}">${text}</a>` : text
}

/** Formats the id of a refused record, which may be anything. */
function formatId(id: unknown) {
  if (id === null || id === undefined) return null
  return typeof id === 'string' ? id : JSON.stringify(id)
}
