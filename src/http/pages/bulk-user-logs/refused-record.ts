import { html } from 'hono/html'
import { jsonPointer } from '../../../domain/errors.ts'
import type { ShownRecord } from '../../admin/log-records.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'

/** A message about a place of a record, given by a JSON Pointer (RFC 6901) into it; empty for the record itself. */
export interface PlacedMessage {
  pointer: string
  code: string
  message: string
}

/** A refused record, and what the log says about how much of it is kept. */
export type RefusedRecord = Pick<ShownRecord, 'record' | 'truncated' | 'errors_omitted'>

/** Of a longer record the page shows the beginning; the CSV has all that is kept of it. */
const MAX_LINES = 500
const MAX_TEXT = 10_000
/** From so many lines on, what was sent has a height of its own and is scrolled. */
const SCROLLED_FROM = 24

/**
 * A record as it was sent, each message after the line on which its place begins. Above it stand the messages that have
 * no place in it; all of them where it is scrolled, so that none is out of sight.
 */
export function renderRefusedRecord(
  { record, truncated, errors_omitted: omitted }: RefusedRecord,
  messages: PlacedMessage[],
  label: string,
): Html {
  const lines =
    record === null
      ? []
      : truncated
        ? [renderLine(record as string)]
        : takeLines(renderLines(record, '', '', html``, ''))
  const places = new Set(lines.map(({ pointer }) => pointer))
  const isPlaced = ({ pointer }: PlacedMessage) => pointer !== '' && places.has(pointer)
  const placed = Map.groupBy(messages.filter(isPlaced), ({ pointer }) => pointer)
  const isScrolled = truncated || lines.length + placed.size >= SCROLLED_FROM
  const above = messages.filter((message) => isScrolled || !isPlaced(message))
  return html`${
    above.length === 0
      ? ''
      : html`<ul class="faults">
          ${above.map((message) => html`<li>${renderMessage(message)}</li>`)}
        </ul>`
  }
  ${omitted === 0 ? '' : html`<p class="hint">The record has ${formatNumber(omitted)} more ${omitted === 1 ? 'error' : 'errors'}. The log keeps the first ${messages.length}.</p>`}
  ${
    lines.length === 0
      ? ''
      : html`<pre class="sent" ${isScrolled ? html`tabindex="0" role="region" aria-label="${label}"` : ''}>
${lines.map(
            ({ content, pointer }) =>
              html`${content}
              ${(placed.get(pointer ?? '') ?? []).map(
                (message) => html`<strong class="fault">↑ ${message.message} (${message.code})</strong> `,
              )}`,
          )}</pre>`
  }
  ${truncated ? html`<p class="hint">The record is too large to be kept as it was sent. The log keeps its beginning, which the CSV has too.</p>` : ''}
  ${lines.length === MAX_LINES ? html`<p class="hint">Only the first ${MAX_LINES} lines are shown: the CSV has all of them.</p>` : ''}`
}

/** A text that is no JSON value: the beginning of one. */
function renderLine(text: string): Line {
  return { content: html`<bdi>${shorten(text)}</bdi>`, pointer: null }
}

function renderMessage({ pointer, code, message }: PlacedMessage): Html {
  return html`<span class="fault">${message}</span>
    <code>${code}</code>${pointer === '' ? '' : html` at <code><bdi>${pointer}</bdi></code>`}`
}

interface Line {
  content: Html
  /** The place that begins on this line; null for a line that only closes one. */
  pointer: string | null
}

function takeLines(lines: Iterable<Line>): Line[] {
  const beginning: Line[] = []
  for (const line of lines) if (beginning.push(line) === MAX_LINES) break
  return beginning
}

/** A value over several lines. `before` stands ahead of it, a name for instance; `after` behind it. */
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

/** A scalar or an empty value, whose direction of writing ends where it ends. */
function renderJson(value: unknown): Html {
  return html`<bdi>${shorten(JSON.stringify(value))}</bdi>`
}

function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
}
