import { trimBlanks } from '../../text/normalize-text.ts'
/** How a full name is split into a first and a last name. A comma always stands behind the last name: "Perez, Ana". */
export type NameRule =
  /** Two words, first name first, or a last name that begins with a particle: "Ana Perez", "Ana de la Cruz". */
  | 'first_last'
  /** Two words, last name first: "Perez Ana". */
  | 'last_first'
  /** The first word is the last name: "Иванов | Пётр Сергеевич". */
  | 'one_last_name_first'
  /** The first word is the first name: "Ana | Perez Gomez". */
  | 'one_first_name'
  /** The last word, with the particles before it, is the last name: "Ana Maria | Perez". */
  | 'one_last_name'
  /** The words in capitals are the last name: "PEREZ GOMEZ Ana". */
  | 'capitals'
  /** A Chinese or Korean name: its first character is the last name, or its first two if they are a known one. */
  | 'one_character'

export interface SplitName {
  first: string
  last: string
}

/** Words that belong to the last name that they begin. */
const PARTICLES = new Set(
  `af al auf av bin da dal de degli dei del della den der des di do dos du ibn la le los lo st ten ter und van vom von y zu
  zum zur zu d aan het in op te 't`.split(/\s+/),
)

/** The longest name that is looked at, in UTF-16 units. */
const MAX_NAME = 512

/** The id that a system writes behind a name: "Ana Perez (000231)". */
const ID_BEHIND = /\((?=[^()]*\d)[^()]*\)\s*$/

/** Whether a text is what last names begin with, as some systems keep it in a column of its own. */
export function isPrefix(text: string): boolean {
  const words = tidy(text.slice(0, MAX_NAME)).toLowerCase().split(' ')
  return words.every((word) => PARTICLES.has(word))
}

/** Puts what stands before a last name there, unless it already begins so. */
export function joinPrefix(prefix: string, last: string): string {
  if (prefix === '' || last === '' || `${last} `.toLowerCase().startsWith(`${prefix} `.toLowerCase())) return last
  return /['’]$/.test(prefix) ? `${prefix}${last}` : `${prefix} ${last}`
}

/** Splits a full name; null if the rule doesn't say how. */
export function splitName(text: string, rule: NameRule | null): SplitName | null {
  if (text.length > MAX_NAME) return null
  const name = tidy(text.replace(ID_BEHIND, '').replaceAll(SUFFIX, ' $1'))
  const [last, first, ...others] = name.split(/\s*[,、，]\s*/)
  if (first !== undefined)
    return others.length > 0 || !last || first === '' || isDegree(first, last) ? null : { first, last }
  if (rule === null) return null
  if (rule === 'one_character') return splitCharacters(name)
  const all = name.split(' ')
  const joined = joinTitles(all)
  // `Md.` is a first name, where no other one follows.
  const words = joined.length < 2 && !SALUTATION.test(name) ? all : joined
  if (words.length < 2) return null
  // What follows the first names: a particle, unless it is the first word.
  const particle = words.findIndex((word, at) => at > 0 && PARTICLES.has(word))
  // Capitals in the other place contradict the rule: OKAFOR Chidi.
  const capitals = words.map((word) => word.length > 2 && isCapitals(word))
  const [isFirst, isLast] = [capitals[0], capitals.at(-1)]
  switch (rule) {
    case 'first_last':
      if (isFirst && !isLast) return null
      return particle === 1 || words.length === 2 ? cut(words, 1) : null
    case 'last_first':
      return words.length === 2 && (isFirst || !isLast) ? { last: words[0]!, first: words[1]! } : null
    case 'one_last_name_first':
      return { last: words[0]!, first: words.slice(1).join(' ') }
    case 'one_first_name':
      return cut(words, 1)
    case 'one_last_name':
      return cut(words, particle > 0 && particle < words.length - 1 ? particle : words.length - 1)
    case 'capitals':
      return splitCapitals(words)
  }
}

/** What tells people of one family apart: "Smith Jr., Robert", "Robert Smith, III". */
const SUFFIX = /(?<![\s,])[\s,]+((?:jr|sr)\b\.?|I{2,3}\b|IV\b)(?=\s*(?:,|$))/giu
const IS_SUFFIX = /^(?:(?:jr|sr)\.?|II|III|IV)$/i
/** What stands before a name: Dr., Prof., Ing. An initial has one letter. */
const TITLE = /^\p{L}{2,6}\.$/u
const SALUTATION = /^(?:dr|prof|mrs?|ms|st)\. /i

/** Whether a text behind a comma is no first name, but in capitals as a degree is: "Ana Perez, MD", "Jan Novák, Ph.D.". */
function isDegree(text: string, before: string): boolean {
  return before.includes(' ') && before !== before.toUpperCase() && /^\p{Lu}\p{L}{0,2}\.?\p{Lu}\.?$/u.test(text)
}

/** Joins titles with the word behind them, and suffixes with the one before. */
function joinTitles(words: readonly string[]): string[] {
  const joined: string[] = []
  let title = ''
  for (const [at, word] of words.entries()) {
    if (TITLE.test(word) && at < words.length - 1 && !IS_SUFFIX.test(word)) title += `${word} `
    else if (IS_SUFFIX.test(word) && joined.length > 0) joined.push(`${joined.pop()} ${word}`)
    else {
      joined.push(title + word)
      title = ''
    }
  }
  return joined
}

/** Whether a word is in capitals, apart from one letter, which may be an initial. */
function isCapitals(word: string): boolean {
  return word.replaceAll(/[^\p{L}]/gu, '').length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()
}

/** The words in capitals stand together, at the beginning or the end. */
function splitCapitals(words: readonly string[]): SplitName | null {
  const last = words.filter(isCapitals)
  const first = words.filter((word) => !isCapitals(word))
  const isTogether = [`${last.join(' ')} ${first.join(' ')}`, `${first.join(' ')} ${last.join(' ')}`]
  if (last.length === 0 || first.length === 0 || !isTogether.includes(words.join(' '))) return null
  return { first: first.join(' '), last: last.join(' ') }
}

/** The last names of two characters that are usual in Chinese and in Korean. */
const TWO_CHARACTERS = new Set(
  `欧阳 歐陽 司马 司馬 上官 诸葛 諸葛 东方 東方 皇甫 尉迟 尉遲 公孙 公孫 慕容 令狐 宇文 长孙 長孫 司徒 司空 夏侯 端木 百里 南宫 南宮
  轩辕 軒轅 呼延 申屠 公孙 仲孙 濮阳 澹台 独孤 獨孤 拓跋 完颜 西门 西門 남궁 황보 제갈 선우 독고 사공 서문 동방`.split(
    /\s+/,
  ),
)
/** Of these, in a name of three syllables, the first one alone is more often the last name: 황 | 보라. */
const OFTEN_ONE = new Set(['황보', '선우', '서문', '동방'])
/** A Chinese or Korean name without a blank. */
const CHARACTERS = /^[\p{Script=Han}\p{Script=Hangul}]{2,5}$/u

function splitCharacters(name: string): SplitName | null {
  const characters = [...name]
  if (!CHARACTERS.test(name)) return null
  const two = characters.slice(0, 2).join('')
  const isTwo = characters.length > (OFTEN_ONE.has(two) ? 3 : 2) && TWO_CHARACTERS.has(two)
  const at = isTwo ? 2 : 1
  return { last: characters.slice(0, at).join(''), first: characters.slice(at).join('') }
}

/** Names that are written in the letters of languages in which the last name comes first. */
const LAST_FIRST = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々\s]+$/u
/** The end of a patronymic, which follows the first name. */
const PATRONYMIC = /^\S+ \S+ \S+(?:ич|вна|чна)$/iu

/** Guesses how full names are split, to propose it as an answer; null if nothing is likely. */
export function guessNameRule(names: readonly string[]): NameRule | null {
  if (names.length === 0) return null
  const all = names.map(tidy)
  if (all.every((name) => CHARACTERS.test(name))) return 'one_character'
  if (all.every((name) => splitName(name, 'capitals') !== null)) return 'capitals'
  if (all.every((name) => LAST_FIRST.test(name))) return 'last_first'
  if (all.every((name) => PATRONYMIC.test(name))) return 'one_last_name_first'
  // Two words show no order, apart from a particle, which begins a last name.
  return all.every((name) => PARTICLES.has(name.split(' ')[1]!)) ? 'first_last' : null
}

function cut(words: readonly string[], at: number): SplitName {
  return { first: words.slice(0, at).join(' '), last: words.slice(at).join(' ') }
}

/** Removes what blanks a name has too many. */
export function tidy(text: string): string {
  return trimBlanks(text.normalize('NFC').replaceAll(/\s+/g, ' '))
}

/** The text under which a full name is compared, whatever its capitals and blanks. */
export function foldName(text: string): string {
  return tidy(text.normalize('NFKC')).toLowerCase()
}

/** The words of a text that are looked at for an id. */
const MAX_WORDS = 10

/** Reads a name with an id: "Ana Perez (000231)", "000231 Ana Perez", "Ana Perez - 231"; null if it has none. */
export function readNameWithId(text: string): { name: string; id: string } | null {
  if (text.length > MAX_NAME) return null
  const inner = /^[^()]*\S\s*\(([^()]+)\)\s*$/.exec(text)?.[1]?.trim()
  if (inner !== undefined) return { name: text.slice(0, text.lastIndexOf('(')), id: inner }
  const words = tidy(text)
    .split(' ', MAX_WORDS)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
  const at = words.findIndex((word) => /\d/.test(word))
  const others = words.filter((_, other) => other !== at)
  const isId = others.length > 0 && (at === 0 || at === others.length) && !others.some((word) => /\d/.test(word))
  return isId ? { name: others.join(' '), id: words[at]! } : null
}
