import { html } from 'hono/html'
import { encodeIdCursor } from '../id-cursor.ts'
import type { Html } from './page.ts'

/** Rows that a page of a list has. */
export const ROWS_A_PAGE = 50

/** The links between the pages of a list that was read with one row more than a page has. */
export function pageLinks<Row>(path: string, filter: Record<string, string>, cursor: string | undefined, found: Row[], idOf: (row: Row) => string): Html {
  const last = found[ROWS_A_PAGE - 1]
  const hasOlder = found.length > ROWS_A_PAGE && last !== undefined
  if (cursor === undefined && !hasOlder) return html``
  const href = (more: Record<string, string>) => {
    const query = new URLSearchParams({ ...filter, ...more }).toString()
    return query === '' ? path : `${path}?${query}`
  }
  return html`<nav class="pages" aria-label="Pages">
    ${cursor === undefined ? '' : html`<a rel="first" href="${href({})}">Newest</a>`}
    ${hasOlder ? html`<a rel="next" href="${href({ cursor: encodeIdCursor(idOf(last)) })}">Older</a>` : ''}
  </nav>`
}
