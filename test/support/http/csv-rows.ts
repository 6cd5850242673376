/** Reads CSV exactly as RFC 4180 defines it. Throws on anything else. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at) : plain(text, at)
    row.push(cell)
    if (text.startsWith('\r\n', end)) {
      rows.push(row)
      row = []
      at = end + 2
    } else if (text[end] === ',') {
      at = end + 1
    } else {
      throw new Error(`neither a comma nor the end of a line at ${end}`)
    }
  }
  if (row.length > 0) throw new Error('the last line is not ended')
  return rows
}

/** The rows below the header, keyed by column name. */
export function csvRecords(text: string): Record<string, string>[] {
  const [names = [], ...rows] = csvRows(text)
  return rows.map((cells) => {
    if (cells.length !== names.length) throw new Error(`${cells.length} cells in ${names.length} columns`)
    return Object.fromEntries(cells.map((cell, at) => [names[at]!, cell]))
  })
}

function plain(text: string, start: number): [cell: string, end: number] {
  const end = start + text.slice(start).search(/[,\r\n"]/)
  return [text.slice(start, end), end]
}

function quoted(text: string, start: number): [cell: string, end: number] {
  let end = text.indexOf('"', start + 1)
  while (text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return [text.slice(start + 1, end).replaceAll('""', '"'), end + 1]
}
