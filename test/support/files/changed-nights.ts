import { encodeText } from './encode-text.ts'

/* How the file of a nightly sync differs from those before it, although nobody meant to change anything. */

/** The columns of the first file, and some people in it: their ids and statuses, `da` for active and `weg` for inactive. */
const NAMES = ['Personalnummer', 'Vorname', 'Nachname', 'Abteilung', 'Beschäftigung']
type Statuses = readonly ('da' | 'weg')[]
const rowsOf = (statuses: Statuses) =>
  statuses.map((status, at) => [`N-${at}`, 'Jürgen', `Nacht${'abcdefgh'[at]}`, 'Lager', status])

type Table = string[][]
const write = (table: Table, delimiter = ',') => table.map((cells) => cells.join(delimiter)).join('\n')
const named = (table: Table, change: (names: string[]) => string[]) => table.with(0, change(table[0]!))

/** What a file of a night looks like. */
export interface ChangedNight {
  name: string
  /** Whether it says the same as before. If not, nothing may be applied before somebody has looked at it. */
  isSame: boolean
  content: Buffer
}

/** Writes the file of the first night, in which everybody's status is as given. */
export const firstNight = (statuses: Statuses): string => write([NAMES, ...rowsOf(statuses)])

/** Lists the files of a later night, in which everybody's status is as given. */
export function changedNights(statuses: Statuses): ChangedNight[] {
  const table = [NAMES, ...rowsOf(statuses)]
  const text = write(table)
  const same: Record<string, string | Buffer> = {
    'as before': text,
    'a column more': write(table.map((cells, at) => [...cells, at === 0 ? 'Stockwerk' : '2'])),
    'two columns more, with dates and words': write(
      table.map((cells, at) => [at === 0 ? 'Schulung' : '01.02.2020', ...cells, at === 0 ? 'Zustand' : 'ruht']),
    ),
    'columns in another order': write(table.map((cells) => cells.toReversed())),
    'another delimiter': write(table, ';'),
    'tabs, and line ends of Windows': write(table, '\t').replaceAll('\n', '\r\n'),
    'UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-8 with a mark': `\ufeff${text}`,
    'a title line more': `Personalliste vom 1. März\n\n${text}`,
    'a total at its end': `${text}\nAnzahl: ${statuses.length},,,,`,
  }
  const other: Record<string, string | Buffer> = {
    'another encoding': encodeText(text, 'windows-1252'),
    'a column more that says who has left': write(
      table.map((cells, at) => [...cells, at === 1 ? '01.02.2020' : at === 0 ? 'Austritt' : '']),
    ),
    'a column renamed': write(named(table, (names) => names.with(4, 'Lage'))),
    'a column of the same name in front': write(
      table.map((cells, at) => [at === 0 ? 'Beschäftigung' : 'da', ...cells]),
    ),
    'the identifier renamed': write(named(table, (names) => names.with(0, 'Nummer'))),
    'a column lost': write(table.map((cells) => cells.slice(0, 4))),
    'the identifier lost': write(table.map((cells) => cells.slice(1))),
    'no names of columns': write(table.slice(1)),
    'only the names of columns': write(table.slice(0, 1)),
    nothing: '',
  }
  const list = (nights: typeof same, isSame: boolean) =>
    Object.entries(nights).map(([name, content]) => ({ name, isSame, content: Buffer.from(content) }))
  return [...list(same, true), ...list(other, false)]
}
