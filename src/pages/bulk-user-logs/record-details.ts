import type { DetailedRecord } from '#log/detailed-records'
import { makePointersRelative } from '#log/refused-records'
import { renderAttributeName } from '../parts/attribute-words.ts'
import { html, type Html } from '../parts/html.ts'
import { listAttributes, renderChange, renderValue } from '../parts/shown-values.ts'
import { renderRefusedRecord } from './refused-record.ts'

/** Renders all that the log knows of a record: what was set or changed, or the record as sent with its errors. */
export function renderRecordDetails({ shown, outcome }: DetailedRecord): Html {
  if (shown.erased) return html`<p class="hint">This data has been erased. The call and its outcome remain.</p>`
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
  if (changes.length === 0) return html`<p class="hint">No changes</p>`
  return renderAttributes(
    'Changed attributes, old and new values',
    changes.map(([name, change]) => [name, renderChange(change)]),
  )
}

function renderAttributes(caption: string, rows: [name: string, value: Html][]): Html {
  return html`<dl class="facts" aria-label="${caption}">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${renderAttributeName(name)}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}
