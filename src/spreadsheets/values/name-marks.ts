import { mentionsLeaving, type Status } from '../words/status-words.ts'
import { tidy } from './split-name.ts'

/*
 * What people write before or behind the names of those who have left, or are away: "Anna Berg (Terminated)",
 * "ZZ_Left - Jon Doe", "† Rex". Only they know what it means.
 */

/** A mark, without the signs around it, and the name without the mark. */
export interface MarkedName {
  mark: string
  isBefore: boolean
  name: string
}

/** The longest name that is looked at, and the longest mark, in UTF-16 units. */
const [MAX_NAME, MAX_MARK] = [128, 40]
/** The marks that are removed from one name. */
const MAX_MARKS = 3

const MAY_BE_MARKED = /[([{†✝*#:/|–—]| - |^\s*[xz]/i
const BRACKETS = ['()', '[]', '{}']
const BETWEEN = / [-–—:/|] /
const SIGNS = '†✝*#'
/** What sorts people behind all others: "zzz_Pip", "x Müller". */
const LETTERS = /^([Zz]{2,}|[Xx]{2,}|[xz](?= ))[\s._-]+/

/** Lists what may be a mark of a name. */
export function listMarks(text: string): MarkedName[] {
  if (text.length > MAX_NAME || !MAY_BE_MARKED.test(text)) return []
  const name = tidy(text)
  const found: MarkedName[] = []
  const add = (mark: string, isBefore: boolean, rest: string) => {
    const isMark = mark !== '' && mark.length <= MAX_MARK && (!/\d/.test(mark) || mentionsLeaving(mark))
    if (isMark && /\p{L}/u.test(rest)) found.push({ mark: tidy(mark), isBefore, name: tidy(rest) })
  }
  for (const [open, close] of BRACKETS) {
    const start = name.lastIndexOf(open!)
    const end = name.indexOf(close!, start)
    if (start !== -1 && end !== -1)
      add(name.slice(start + 1, end), start === 0, `${name.slice(0, start)} ${name.slice(end + 1)}`)
  }
  const parts = name.split(BETWEEN)
  if (parts.length > 1) {
    const [first, last] = [parts[0]!, parts.at(-1)!]
    add(first, true, name.slice(first.length + 3))
    add(last, false, name.slice(0, -last.length - 3))
  }
  if (found.length > 0) return found
  const [first = '', last = ''] = [name[0], name.at(-1)]
  const [letters = '', mark = ''] = LETTERS.exec(name) ?? []
  if (SIGNS.includes(first)) add(first, true, name.slice(1))
  else if (SIGNS.includes(last)) add(last, false, name.slice(0, -1))
  else add(mark, true, name.slice(letters.length))
  return found
}

/** Whether a mark says by itself that it may be one of people who have left. */
export function isTelling(mark: string): boolean {
  return mentionsLeaving(mark) || /^(?:[†✝]|zz|xx|[xz]$)/i.test(mark)
}

/** Removes the marks from a name whose meaning is known. Somebody with any mark of leavers has left. */
export function readMarks(
  text: string,
  words: Readonly<Record<string, Status | null>> | undefined,
): { name: string; status: Status | null | undefined } {
  let [name, status]: [string, Status | null | undefined] = [text, undefined]
  if (!words) return { name, status }
  for (let count = 0; count < MAX_MARKS; count += 1) {
    const found = listMarks(name).find(({ mark }) => Object.hasOwn(words, mark))
    if (!found) break
    name = found.name
    if (status !== 'inactive') status = words[found.mark]
  }
  return { name, status }
}
