import type { RowMark } from '../tables/row-marks.ts'

/* Which marks the rows of a workbook have. The library leaves out how cells look. */

/** The parts of a workbook by their names. */
type Parts = ReadonlyMap<string, Uint8Array>
type CellMark = Exclude<RowMark, 'hidden'> | null | undefined

/** Finds the marks of the rows of a sheet of an .xlsx or an .ods by their lines. */
export function findMarks(parts: Parts, sheet: number): ReadonlyMap<number, RowMark> {
  const content = readPart(parts, 'content.xml')
  return content === '' ? findMarksOfExcel(parts, sheet) : findMarksOfOpenDocument(content, sheet)
}

/** The marks of rows, each of which is that of most cells with a value. */
class MarkedRows {
  readonly found = new Map<number, RowMark>()
  line = 0
  #isHidden = false
  #cells = 0
  #counts = { struck: 0, filled: 0 }

  begin(line: number, isHidden: boolean): void {
    this.end()
    this.line = line
    this.#isHidden = isHidden
  }

  add(mark: CellMark): void {
    this.#cells += 1
    if (mark) this.#counts[mark] += 1
  }

  end(): void {
    if (this.#isHidden) this.found.set(this.line, 'hidden')
    else if (this.#counts.struck * 2 > this.#cells) this.found.set(this.line, 'struck')
    else if (this.#counts.filled * 2 > this.#cells) this.found.set(this.line, 'filled')
    this.#cells = 0
    this.#counts = { struck: 0, filled: 0 }
  }
}

function findMarksOfExcel(parts: Parts, sheet: number): ReadonlyMap<number, RowMark> {
  const rows = new MarkedRows()
  const styles = listStyles(readPart(parts, 'xl/styles.xml'))
  const id = readAttribute(listElements(readPart(parts, 'xl/workbook.xml'), 'sheet')[sheet] ?? '', SHEET_ID)
  const relations = listElements(readPart(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship')
  const relation = relations.find((one) => readAttribute(one, RELATION_ID) === id)
  const target = readAttribute(relation ?? '', TARGET) ?? ''
  const xml = readPart(parts, target.startsWith('/') ? target.slice(1) : `xl/${target}`)
  if (!styles.some((mark) => mark !== null) && !HIDDEN.test(xml)) return rows.found
  for (const [tag, name] of xml.matchAll(/<(?:\w+:)?(row|c)\s[^<>]*[^<>/]>/g))
    if (name === 'row') rows.begin(Number(readAttribute(tag, LINE) ?? rows.line + 1), HIDDEN.test(tag))
    else rows.add(styles[Number(readAttribute(tag, STYLE) ?? 0)])
  rows.end()
  return rows.found
}

function findMarksOfOpenDocument(xml: string, sheet: number): ReadonlyMap<number, RowMark> {
  const rows = new MarkedRows()
  const [above = ''] = xml.split(/<\/(?:\w+:)?automatic-styles>/, 1)
  const styles = new Map(listElements(above, 'style').map((style) => [readAttribute(style, NAME), readStyle(style)]))
  const table = listElements(xml, 'table')[sheet] ?? ''
  let next = 1
  for (const [tag, name] of table.matchAll(/<(?:\w+:)?table-(row|cell)(?:\s[^<>]*)?>/g)) {
    if (name === 'row') {
      rows.begin(next, COLLAPSED.test(tag))
      next += Number(readAttribute(tag, REPEATED) ?? 1)
    } else if (!tag.endsWith('/>')) rows.add(styles.get(readAttribute(tag, STYLE_NAME)))
  }
  rows.end()
  return rows.found
}

function readPart(parts: Parts, name: string): string {
  const bytes = parts.get(name)
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : ''
}

const [LINE, STYLE, FONT, FILL] = [/\sr="(\d+)"/, /\ss="(\d+)"/, /\sfontId="(\d+)"/, /\sfillId="(\d+)"/]
const [SHEET_ID, RELATION_ID, TARGET] = [/\s\w+:id="([^"]*)"/, /\sId="([^"]*)"/, /\sTarget="([^"]*)"/]
const HIDDEN = /\shidden="(?:1|true)"/
const WHITE = /<(?:\w+:)?fgColor\s+(?:rgb="(?:FF|00)FFFFFF"|theme="0"\s*\/>|indexed="(?:9|65)")/

const [NAME, STYLE_NAME] = [/\s(?:\w+:)?name="([^"]*)"/, /\s(?:\w+:)?style-name="([^"]*)"/]
const REPEATED = /\s(?:\w+:)?number-rows-repeated="(\d+)"/
const COLLAPSED = /\s(?:\w+:)?visibility="(?:collapse|filter)"/
const LINE_THROUGH = /\s(?:\w+:)?text-line-through-(?:style|type)="(?!none")/
const GROUND = /\s(?:\w+:)?background-color="(?!transparent"|#ffffff")/i

const readAttribute = (tag: string, attribute: RegExp) => attribute.exec(tag)?.[1]

/** The mark of each style that cells of Excel may have. */
function listStyles(xml: string): CellMark[] {
  const struck = listElements(xml, 'font').map((font) => /<(?:\w+:)?strike(?!\s+val="(?:0|false)")/.test(font))
  const filled = listElements(xml, 'fill').map((fill) => fill.includes('"solid"') && !WHITE.test(fill))
  return listElements(listElements(xml, 'cellXfs')[0] ?? '', 'xf').map((xf) => {
    if (struck[Number(readAttribute(xf, FONT))]) return 'struck'
    return filled[Number(readAttribute(xf, FILL))] ? 'filled' : null
  })
}

/** The mark of a style of OpenDocument. */
function readStyle(style: string): CellMark {
  if (LINE_THROUGH.test(style)) return 'struck'
  return GROUND.test(style) ? 'filled' : null
}

/** The elements with a name, from their names to those that follow, or to the end of their list. */
function listElements(xml: string, name: string): string[] {
  const end = new RegExp(`</(?:\\w+:)?${name}s>`).exec(xml)?.index
  const [, ...elements] = xml.slice(0, end).split(new RegExp(`<(?:\\w+:)?${name}(?=[\\s/>])`))
  return elements
}
