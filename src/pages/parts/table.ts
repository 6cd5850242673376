import { html, type Html } from './html.ts'
import { formatNumber } from '#wording/numbers'

interface Heading<Row> {
  heading: string
  /** Only where there is much room. */
  isWide?: boolean
  /** Holds long text, which may break. */
  isLong?: boolean
  isNumber?: boolean
  /** Names the row, with its heading on narrow pages. If no column has this, the first names it without. */
  isName?: boolean
  /** Only screen readers need the heading, as of buttons. */
  isHeadingHidden?: boolean
  /** The text on hover. */
  title?: (row: Row) => string | null
}

/** A column of texts, or of whole numbers. */
export type Column<Row> = Heading<Row> & ({ cell: (row: Row) => Html | string } | { count: (row: Row) => number })

interface Table<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: readonly [Column<Row>, ...Column<Row>[]]
  rows: readonly Row[]
  /** Each row takes one line where there is room. */
  isInLines?: boolean
  /** The caption says what no heading above the table says. */
  isCaptionShown?: boolean
}

/** Renders a table. On a narrow page, each row wraps like a text below its name. */
export function renderTable<Row>({ caption, columns, rows, isInLines, isCaptionShown }: Table<Row>): Html {
  const name = columns.find(({ isName }) => isName) ?? columns[0]
  return html`<table class="cards ${isInLines && 'rows'}">
    <caption${!isCaptionShown && html` class="visually-hidden"`}>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col"${renderClass(column)}>${renderHeading(column)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column) => renderCell(column, row, column === name))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

function renderHeading<Row>({ heading, isHeadingHidden }: Heading<Row>): Html {
  return isHeadingHidden ? html`<span class="visually-hidden">${heading}</span>` : html`${heading}`
}

function renderCell<Row>(column: Column<Row>, row: Row, isName: boolean): Html {
  const label = isName && !column.isName ? '' : renderLabel(column)
  const attributes = html`${label}${renderClass(column)}${renderTitle(column, row)}`
  const content = 'count' in column ? formatNumber(column.count(row)) : column.cell(row)
  return isName ? html`<th scope="row"${attributes}>${content}</th>` : html`<td${attributes}>${content}</td>`
}

function renderLabel<Row>({ heading, isHeadingHidden }: Heading<Row>): Html {
  return isHeadingHidden ? html`` : html` data-label="${heading}"`
}

function renderClass<Row>(column: Column<Row>): Html {
  const { isWide, isLong, isNumber = 'count' in column } = column
  const classes = [...(isWide ? ['wide'] : []), ...(isLong ? ['long'] : []), ...(isNumber ? ['number'] : [])]
  return classes.length === 0 ? html`` : html` class="${classes.join(' ')}"`
}

function renderTitle<Row>({ title }: Heading<Row>, row: Row): Html {
  const text = title?.(row) ?? null
  return text === null ? html`` : html` title="${text}"`
}
