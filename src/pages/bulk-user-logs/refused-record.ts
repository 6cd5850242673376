import { jsonPointer } from '#domain/errors'
import type { ShownRecord } from '#log/log-records'
import { isolate, html, type Html, renderCode, renderHint } from '#pages/parts/elements'
import { formatCount } from '#wording/numbers'

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
export function renderRefusedRecord(
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

function takeLines(lines: Iterable<Line>): Line[] {
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

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
}
