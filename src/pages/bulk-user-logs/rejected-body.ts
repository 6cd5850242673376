import { isSingle } from '#domain/operations'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { RejectedBody } from '#domain/calls/rejected-body'
import { isolate, html, renderHint } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'

/** Around the error, so many lines are shown before and after its line, but at most so many characters. */
const LINES_AROUND = 3
const CHARACTERS_AROUND = 500

/** The problems of calls whose bodies could not be read. */
const UNREADABLE: ReadonlySet<string> = new Set(['malformed_json', 'invalid_body'])

/** Renders the body of a call that could not be read: the text around the error, and all that is kept. */
export function renderRejectedBody({ entry: { error, operation } }: LogEntry, body: RejectedBody | null) {
  if (error === null || !UNREADABLE.has(error.code)) return html``
  // A single update keeps a body that is JSON as its record.
  if (!body && isSingle(operation)) return html``
  if (!body) return renderHint("The log doesn't have the body: it was empty, or it has been deleted.")
  const { text, bytes, truncated, error: place } = body
  const { from, lineEnd, to } = findSurroundings(text, place?.at ?? 0)
  const line = place ? renderFault(text, place, from, lineEnd) : isolate(text.slice(from, lineEnd))
  const before = from === 0 ? '' : `…${text[from - 1] === '\n' ? '\n' : ''}`
  const after = to === text.length ? '' : `${text[to] === '\n' ? '\n' : ''}…`
  return html`<section class="rejected-body" aria-labelledby="body">
    <h2 id="body">Body as sent</h2>
    <pre>${before}${line}${isolate(text.slice(lineEnd, to))}${after}</pre>
    ${
      (from !== 0 || to !== text.length) &&
      html`<details>
            <summary>Show ${truncated ? 'what is kept of' : 'all'} ${formatNumber(bytes)} bytes</summary>
            <pre class="sent" tabindex="0" role="region" aria-label="Body as sent">${isolate(text)}</pre>
          </details>`
    }
  </section>`
}

/** Renders a line up to the end of what is shown of it, and below it, where the error is. */
function renderFault(text: string, place: NonNullable<RejectedBody['error']>, from: number, lineEnd: number) {
  const [line, column] = [formatNumber(place.line), formatNumber(place.column)]
  const at = html`<strong class="fault">↑ line ${line}, column ${column}</strong>`
  return html`<bdi>${text.slice(from, place.at)}${renderMarked(text, place.at, lineEnd)}</bdi>\n${at}`
}

/** Renders the rest of a line with its first character marked: by its code point if it can't be seen. */
function renderMarked(text: string, at: number, lineEnd: number) {
  const [char = ''] = text.slice(at, at + 2)
  if (char === '') return html`<mark>end of the body</mark>`
  const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  return html`<mark>${UNSEEN.test(char) ? `U+${code}` : char}</mark>${text.slice(at + char.length, lineEnd)}`
}

const UNSEEN = /[\s\p{C}]/u

/** The part of a text around an index: where it begins, where the line of the index ends, and where the part ends. */
function findSurroundings(text: string, at: number) {
  const startOfLine = (index: number) => (index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1)
  const endOfLine = (index: number) => {
    const end = text.indexOf('\n', index)
    return end === -1 ? text.length : end
  }
  let from = startOfLine(at)
  for (let lines = 0; lines < LINES_AROUND && from > 0; lines += 1) from = startOfLine(from - 1)
  const lineEnd = Math.min(endOfLine(at), at + CHARACTERS_AROUND)
  let to = lineEnd
  for (let lines = 0; lines < LINES_AROUND && to < text.length; lines += 1) to = endOfLine(to + 1)
  return { from: Math.max(from, at - CHARACTERS_AROUND), lineEnd, to: Math.min(to, lineEnd + CHARACTERS_AROUND) }
}
