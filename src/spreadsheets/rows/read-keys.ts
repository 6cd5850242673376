import { hash } from 'node:crypto'
import { normalizeEmail, normalizeText, trimBlanks } from '../../text/normalize-text.ts'
import { readAddress, readAttribute } from '../cells.ts'
import { isDate } from '../mapping/mapping.ts'
import { readMarks } from '../values/name-marks.ts'
import type { RowKeys } from './plan-rows.ts'
import { KEY_NAMES, keysOfRecord } from './plan-rows.ts'
import type { FileRow } from '../tables/file-row.ts'
import { readDate } from '../values/read-date.ts'
import type { Column } from './read-value.ts'
import { isNone } from './read-value.ts'
import { memberOf } from '../mapping/record-columns.ts'
import { foldName, joinPrefix, splitName } from '../values/split-name.ts'

/** Reads what identifies a person, for the plan of the rows. */
export function readKeys({ line, cells }: FileRow, columns: readonly Column[], hasNamedManagers: boolean): RowKeys {
  const used: string[] = []
  for (const { number } of columns) {
    if (number > cells.length) break
    used.push(trimBlanks(cells[number - 1]!))
  }
  // Rows with and without empty cells at their ends say the same.
  while (used.at(-1) === '') used.pop()
  const keys: RowKeys = { line, digest: hash('sha1', JSON.stringify(used), 'base64') }
  const texts = new Map<string | null, string>()
  for (const column of columns) {
    if (column.number > cells.length) break
    const cell = cells[column.number - 1]!
    if (trimBlanks(cell) === '' || isNone(cell, column.to)) continue
    const { text, json } = readAttribute(cell)
    if (column.isRecord && json !== undefined) return { ...keysOfRecord(JSON.parse(json)), line }
    if (text === undefined) continue
    // A copy, which doesn't keep the text of the file in memory from which the cell was cut.
    const copy = normalizeText(readMarks(JSON.parse(json) as string, column.words).name)
    if (copy === '') continue
    texts.set(column.to === 'as_named' ? memberOf(column.header) : column.to, copy)
    if (isDate(column.to)) {
      const { dates: order, calendar = 'gregorian' } = column
      const { value } = readDate(copy, { order: order ?? 'day_first', clock: 'ignore', calendar })
      if (value) keys.dates = { ...keys.dates, [column.to]: value }
    }
    if (column.to === 'manager' && column.by) keys.manager = { by: column.by, text: copy }
    if (column.to === 'full_name' && hasNamedManagers && !keys.names) {
      const split = splitName(copy, column.names ?? null)
      keys.names = [...new Set([...(split ? [`${split.first} ${split.last}`] : []), copy].map(foldName))]
    }
  }
  for (const name of KEY_NAMES) {
    const text = texts.get(name)
    if (text !== undefined) keys[name] = name === 'email' ? normalizeEmail(readAddress(text)) : text
  }
  const [email, externalId] = [texts.get('manager_email'), texts.get('manager_external_id')]
  const named = [texts.get('manager_id'), externalId, texts.get('manager')]
  if (email !== undefined) keys.manager = { by: 'email', text: email }
  else if (externalId !== undefined) keys.manager = { by: 'external_id', text: externalId }
  const others = named.filter((text) => text !== undefined && text !== keys.manager?.text)
  if (others.length > 0) keys.otherManagers = others as string[]
  const first = texts.get('first_name') ?? ''
  const last = joinPrefix(texts.get('last_name_prefix') ?? '', texts.get('last_name') ?? '')
  const isUnspaced = UNSPACED.test(`${last}${first}`)
  if (hasNamedManagers && `${first}${last}` !== '')
    keys.names = [`${first} ${last}`, ...(isUnspaced ? [`${last}${first}`] : [])].map(foldName)
  return keys
}

/** Names that are written without a blank, the last name first. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hangul}]{2,8}$/u
