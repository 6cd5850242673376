import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyRequest } from 'fastify'
import type { IdPrefix } from '#domain/ids'
import { encodeCursor, pageBefore } from '#http/server/query-values'
import { buildUrl, type QueryValues } from '#wording/navigation'
import { readFormFields, renderChoice, type Choice } from './form.ts'
import { html } from './elements.ts'

/** Rows on a page of a list. */
export const ROWS_A_PAGE = 50

/**
 * Reads what the address of a list that is ordered by id asks for: a page, with one row more than it shows, and one of
 * the statuses. Any other status means all rows.
 */
export function readListQuery<Status extends string = never>(
  { query }: FastifyRequest,
  prefix: IdPrefix,
  statuses: readonly Status[] = [],
) {
  const { cursor, status: requested } = readFormFields(query)
  const status = statuses.find((one) => one === requested)
  const page = pageBefore(prefix, { limit: ROWS_A_PAGE, ...omitUndefined({ cursor }) })
  return { cursor, page, filter: status === undefined ? {} : { status } }
}

/** Renders the form that filters a list by one choice. */
export function renderFilter(path: string, choice: Choice) {
  return html`<form method="get" action="${path}" class="filters">
    ${renderChoice(choice, null)}
    <div class="actions"><button>Filter</button></div>
  </form>`
}

interface PageLink {
  label: string
  rel: 'prev' | 'next' | 'first'
  /** Null when there is no such page. */
  href: string | null
}

/** Renders the links between the pages of a list. A link without a target is hidden: a script may need it later. */
export function renderPageLinks(links: PageLink[], label = 'Pages') {
  const shown = links.map(
    ({ label, rel, href }) =>
      html`<a class="button" rel="${rel}" href="${href ?? ''}" ${href === null && html`hidden`}>${label}</a>`,
  )
  return html`<nav class="pages actions" aria-label="${label}">${shown}</nav>`
}

/** Renders the links of a list that is ordered by id and was read with one row more than a page shows. */
export function renderListLinks<Row>(
  path: string,
  filter: QueryValues,
  cursor: string | undefined,
  rows: Row[],
  idOf: (row: Row) => string,
  [first, next] = ['Newest', 'Older'],
) {
  const last = rows.length > ROWS_A_PAGE ? rows[ROWS_A_PAGE - 1] : undefined
  return renderPageLinks([
    { label: first, rel: 'first', href: cursor === undefined ? null : buildUrl(path, filter) },
    {
      label: next,
      rel: 'next',
      href: last ? buildUrl(path, { ...filter, cursor: encodeCursor(idOf(last)) }) : null,
    },
  ])
}
