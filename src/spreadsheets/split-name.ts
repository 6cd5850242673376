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

export interface SplitName {
  first: string
  last: string
}

/** Words that belong to the last name that they begin. */
const PARTICLES = new Set(
  `af al auf av bin da dal de degli dei del della den der des di do dos du ibn la le los lo st ten ter und van vom von y zu
  zum zur zu d`.split(/\s+/),
)

/** The longest name that is looked at, in UTF-16 units. */
const MAX_NAME = 512

/** Splits a full name; null if the rule doesn't say how. */
export function splitName(text: string, rule: NameRule | null): SplitName | null {
  if (text.length > MAX_NAME) return null
  const name = tidy(text)
  const [last, first, ...others] = name.split(/\s*[,、，]\s*/)
  if (first !== undefined) return others.length > 0 || !last || first === '' ? null : { first, last }
  if (rule === null) return null
  const words = name.split(' ')
  if (words.length < 2) return null
  // What follows the first names: a particle, unless it is the first word.
  const particle = words.findIndex((word, at) => at > 0 && PARTICLES.has(word))
  switch (rule) {
    case 'first_last':
      return particle === 1 || words.length === 2 ? cut(words, 1) : null
    case 'last_first':
      return words.length === 2 ? { last: words[0]!, first: words[1]! } : null
    case 'one_last_name_first':
      return { last: words[0]!, first: words.slice(1).join(' ') }
    case 'one_first_name':
      return cut(words, 1)
    case 'one_last_name':
      return cut(words, particle > 0 && particle < words.length - 1 ? particle : words.length - 1)
  }
}

/** Names that are written in the letters of languages in which the last name comes first. */
const LAST_FIRST = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}々\s]+$/u
/** The end of a patronymic, which follows the first name. */
const PATRONYMIC = /^\S+ \S+ \S+(?:ич|вна|чна)$/iu

/** Guesses how full names are split, to propose it as an answer; null if nothing is likely. */
export function guessNameRule(names: readonly string[]): NameRule | null {
  if (names.length === 0) return null
  const all = names.map(tidy)
  if (all.every((name) => LAST_FIRST.test(name))) return 'last_first'
  if (all.every((name) => PATRONYMIC.test(name))) return 'one_last_name_first'
  return all.every((name) => splitName(name, 'first_last') !== null) ? 'first_last' : null
}

function cut(words: readonly string[], at: number): SplitName {
  return { first: words.slice(0, at).join(' '), last: words.slice(at).join(' ') }
}

/** Removes what blanks a name has too many. */
export function tidy(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim()
}

/** The text under which a full name is compared, whatever its capitals and blanks. */
export function foldName(text: string): string {
  return tidy(text).toLowerCase()
}

/** The text in parentheses at the end of another: "Ana Perez (000231)". */
export function readParentheses(text: string): string | null {
  if (text.length > MAX_NAME) return null
  return /^[^()]*\S\s*\(([^()]+)\)\s*$/.exec(text)?.[1]?.trim() ?? null
}
