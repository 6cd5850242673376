/*
 * How a workbook shows rows that may be no longer valid: struck through, on a colored ground, or not at all. Only
 * people know what that means, so it is noted. The library leaves out how cells look.
 */

export type RowMark = 'struck' | 'filled' | 'hidden'

/** The lines of the records that have a mark. */
export type MarkedLines = Readonly<Record<RowMark, number[]>>

/** The marked rows that are named. */
const MAX_NAMED = 5
/** Of so many rows, one has a color that may mean something. */
const FEW = 3

/** Describes that rows are struck through, as those of people who have left may be, or that a few of them have a color. */
export function describeMarks({ struck, filled, hidden }: MarkedLines, rows: number): string[] {
  const found = []
  if (struck.length > 0) found.push(describe(struck, 'struck through'))
  if (hidden.length > 0) found.push(describe(hidden, 'hidden'))
  if (filled.length > 0 && filled.length * FEW <= rows) found.push(describe(filled, 'colored'))
  return found
}

function describe(lines: readonly number[], how: string): string {
  const named = lines.slice(0, MAX_NAMED).join(', ') + (lines.length > MAX_NAMED ? ', …' : '')
  const who = lines.length === 1 ? `Row ${named} is` : `Rows ${named} are`
  return `${who} ${how}, which is not read: say in a column who has left`
}

/** The parts of an .xlsx by their names. */
type Parts = ReadonlyMap<string, Uint8Array>

/** Finds the marks of the rows of a sheet of an .xlsx by their lines. A mark is that of most cells with a value. */
export function findMarks(parts: Parts, sheet: number): ReadonlyMap<number, RowMark> {
  const found = new Map<number, RowMark>()
  const styles = listStyles(readPart(parts, 'xl/styles.xml'))
  const id = readAttribute(listElements(readPart(parts, 'xl/workbook.xml'), 'sheet')[sheet] ?? '', SHEET_ID)
  const relations = listElements(readPart(parts, 'xl/_rels/workbook.xml.rels'), 'Relationship')
  const relation = relations.find((one) => readAttribute(one, RELATION_ID) === id)
  const target = readAttribute(relation ?? '', TARGET) ?? ''
  const xml = readPart(parts, target.startsWith('/') ? target.slice(1) : `xl/${target}`)
  if (!styles.some((mark) => mark !== null) && !HIDDEN.test(xml)) return found
  let [line, cells, isHidden] = [0, 0, false]
  let counts = { struck: 0, filled: 0 }
  const endRow = () => {
    if (isHidden) found.set(line, 'hidden')
    else if (counts.struck * 2 > cells) found.set(line, 'struck')
    else if (counts.filled * 2 > cells) found.set(line, 'filled')
    cells = 0
    counts = { struck: 0, filled: 0 }
  }
  for (const [tag] of xml.matchAll(/<(?:row|c)\s[^<>]*[^<>/]>/g)) {
    if (tag.startsWith('<row')) {
      endRow()
      line = Number(readAttribute(tag, LINE) ?? line + 1)
      isHidden = HIDDEN.test(tag)
      continue
    }
    cells += 1
    const mark = styles[Number(readAttribute(tag, STYLE) ?? 0)]
    if (mark) counts[mark] += 1
  }
  endRow()
  return found
}

function readPart(parts: Parts, name: string): string {
  const bytes = parts.get(name)
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : ''
}

const [LINE, STYLE, FONT, FILL] = [/\sr="(\d+)"/, /\ss="(\d+)"/, /\sfontId="(\d+)"/, /\sfillId="(\d+)"/]
const [SHEET_ID, RELATION_ID, TARGET] = [/\sr:id="([^"]*)"/, /\sId="([^"]*)"/, /\sTarget="([^"]*)"/]
const HIDDEN = /\shidden="(?:1|true)"/
const WHITE = /<fgColor\s+(?:rgb="(?:FF|00)FFFFFF"|theme="0"\s*\/>|indexed="(?:9|65)")/

const readAttribute = (tag: string, attribute: RegExp) => attribute.exec(tag)?.[1]

/** The mark of each style that cells may have. */
function listStyles(xml: string): (Exclude<RowMark, 'hidden'> | null)[] {
  const struck = listElements(xml, 'font').map((font) => /<strike(?!\s+val="(?:0|false)")/.test(font))
  const filled = listElements(xml, 'fill').map((fill) => fill.includes('"solid"') && !WHITE.test(fill))
  return listElements(listElements(xml, 'cellXfs')[0] ?? '', 'xf').map((xf) => {
    if (struck[Number(readAttribute(xf, FONT))]) return 'struck'
    return filled[Number(readAttribute(xf, FILL))] ? 'filled' : null
  })
}

/** The elements with a name, from their names to those that follow, or to the end of their list. */
function listElements(xml: string, name: string): string[] {
  const end = xml.indexOf(`</${name}s>`)
  const [, ...elements] = xml.slice(0, end === -1 ? undefined : end).split(new RegExp(`<${name}(?=[\\s/>])`))
  return elements
}
