import type { HeaderMeaning } from './header-words.ts'
import { HEADER_WORDS, OTHER_WORDS } from './header-words.ts'

const LATIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i' }

/**
 * Simplifies a text for comparison: without capitals, accents of Latin letters, and signs, and with blanks between
 * words.
 */
export function simplify(text: string): string {
  return text
    .normalize('NFKC')
    .slice(0, MAX_NAME)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replaceAll(/[ßłøæœđı]/g, (letter) => LATIN[letter]!)
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
}

type WordClass = keyof typeof HEADER_WORDS | keyof typeof OTHER_WORDS

/** What a word may be: `名` is a first name alone, and any name behind a department. */
const CLASSES = new Map<string, WordClass[]>()
for (const [name, words] of Object.entries({ ...HEADER_WORDS, ...OTHER_WORDS }))
  for (const word of words.split(/\s+/)) CLASSES.set(word, [...(CLASSES.get(word) ?? []), name as WordClass])

/** What a system adds to the name of a column: `[userPrincipalName] Required`, `(optional)`, `*`, the format of dates. */
const ADDED =
  /\s+\[[^\]]*\](?: (?:required|optional)$)?|\s*\((?:required|optional|pflichtfeld|obligatoire|[0-9]+|[dmyjat./ -]+)\)|\s*\*+\s*$/gi
/** What systems put before the names of columns that their users add. */
const OWN_COLUMN = /^(?:x|u|cf|custom)_+(?=\p{L})/iu

/** The longest name that is looked at, and the longest word that may be made of others, in UTF-16 units. */
const MAX_NAME = 256
const MAX_COMPOUND = 40

/** Recognizes what a column is by its name, in many languages; null if the name is not known. */
export function recognizeHeader(header: string): HeaderMeaning | null {
  const name = header.slice(0, MAX_NAME)
  if (SECRET.test(simplify(name))) return 'never_store'
  // The innermost name of a nested value: `profile.firstName`, `name/familyName`.
  const plain = name
    .replaceAll(ADDED, '')
    .replace(OWN_COLUMN, '')
    .replace(/[./](?:value|work|primary)$/i, '')
  const parts = plain.split(/[.:/](?=\p{L})/u)
  const found = readWords(name) ?? readWords(plain)
  if (found) return found
  // What a nested manager has is about the manager.
  if (parts.slice(0, -1).some((part) => readWords(part) === 'manager')) return 'manager'
  return readWords(parts.at(-1)!)
}

/** What may have a number: the code of a department is no department. */
const NUMBERED: ReadonlySet<HeaderMeaning> = new Set([
  'employee_number',
  'external_id',
  'user_name',
  'phone',
  'email',
  'manager',
  'country',
])
const DATED: ReadonlySet<HeaderMeaning> = new Set(['start_date', 'termination_date'])
/** What somebody has who is named beside it. */
const OWNED: readonly (keyof typeof HEADER_WORDS)[] = [
  'email',
  'employee_number',
  'external_id',
  'first_name',
  'last_name',
  'full_name',
]

const isMeaning = (name: WordClass): name is keyof typeof HEADER_WORDS => name in HEADER_WORDS

/** What the words of a name say together, if all of them are known. */
function readWords(text: string): HeaderMeaning | null {
  const simple = simplify(text)
  const words = simple.split(' ')
  // `Last day of work` is `lastday`, as far as its words matter.
  const telling = words.filter((word) => !CLASSES.get(word)?.includes('filler'))
  for (const some of telling.length > 1 ? [words, telling] : [words]) {
    const whole = CLASSES.get(some.join(''))?.find(isMeaning)
    if (whole) return whole
  }
  let found: readonly (readonly WordClass[])[] = []
  for (const word of simple.replaceAll(/\d+/g, ' ').split(' ')) {
    if (word === '') continue
    const classes = splitCompound(word)
    if (!classes) return null
    found = [...found, ...classes]
  }
  const has = (name: WordClass) => found.some((classes) => classes.includes(name))
  const meanings = new Set(found.map((classes) => classes.at(-1)!).filter(isMeaning))
  if (meanings.has('manager')) for (const name of OWNED) meanings.delete(name)
  else if (meanings.size > 1) for (const name of ['employee_number', 'full_name'] as const) meanings.delete(name)
  if (meanings.has('phone') || meanings.has('email')) meanings.delete('location')
  if (meanings.has('status')) for (const name of ['job_title', 'user_name'] as const) meanings.delete(name)
  if (meanings.has('start_date') || meanings.has('termination_date')) meanings.delete('last_name')
  if (meanings.has('not_ours')) return 'not_ours'
  const [first, ...more] = meanings
  if (meanings.has('first_name') && meanings.has('last_name')) return 'full_name'
  if (!first || more.length > 0) return null
  if ((has('number') && !NUMBERED.has(first)) || (has('date') && !DATED.has(first))) return null
  // `Nom Prénom`, `Apellidos y nombre`.
  const names = found.filter((classes) => classes.includes('name'))
  const isWhole = names.length === 1 && names[0] === found[0] && first === 'first_name'
  if (isWhole || (first === 'last_name' && has('first_or_full_name'))) return 'full_name'
  return first === 'employee_number' && has('name') && !has('number') ? 'full_name' : first
}

type Compound = WordClass[][] | null

/**
 * The classes of the words of which a word is made: `Eintrittsdatum`, `入社年月日`; null if one of them is not known. Each
 * end of the word is split once: where words are made of others, there are very many ways to it.
 */
function splitCompound(word: string, ends = new Map<string, Compound>()): Compound {
  const known = CLASSES.get(word)
  if (known) return [known]
  if (word.length > MAX_COMPOUND) return null
  if (!ends.has(word)) ends.set(word, splitAnywhere(word, ends))
  return ends.get(word)!
}

function splitAnywhere(word: string, ends: Map<string, Compound>): Compound {
  for (let at = word.length - 1; at > 0; at -= 1) {
    const first = CLASSES.get(word.slice(0, at))
    // Short words of Latin letters begin many others.
    const isShort = at < 3 && /^[a-z]/.test(word)
    const end = word.slice(at)
    // In German and Dutch, an s may link two words.
    const linked = end.startsWith('s') ? end.slice(1) : ''
    const rest = first && !isShort ? (splitCompound(end, ends) ?? splitCompound(linked, ends)) : null
    // What stands before "active" may be the opposite: désactivé.
    if (rest?.flat().some((name) => name === 'status_flag' || name === 'status_inverted') && /^[a-z]/.test(word))
      continue
    if (rest) return [first!, ...rest]
  }
  return null
}

const SECRET =
  /pass ?wor[dt]|pass ?code|pass ?phrase|kennwort|credential|mot de passe|contrasena|wachtwoord|haslo|palavra ?passe|パスワード|密码|пароль|secret(?!ar|air)|api ?key|private ?key|one time code|recovery (?:code|question)|security answer|senha|parola d ordine|\bpin$/

/** Whether a column holds passwords or the like, which are kept nowhere. */
export function isSecretHeader(header: string): boolean {
  const name = header.slice(0, MAX_NAME)
  return SECRET.test(simplify(name))
}

const FLAG = /^(?:true|false|yes|no)$/i

/**
 * Returns a function that makes the cells of secret columns empty, so that they are kept nowhere. Yes and no are no
 * secrets: a column such as "Block credential" may say who is locked out.
 */
export function hideSecrets(header: readonly string[]): (cells: readonly string[]) => readonly string[] {
  const secrets = new Set(header.flatMap((cell, at) => (isSecretHeader(cell) ? [at] : [])))
  return (cells) =>
    secrets.size === 0 ? cells : cells.map((cell, at) => (secrets.has(at) && !FLAG.test(cell) ? '' : cell))
}

/** Whether the name of a column says that it is about work, rather than private. */
export function isAboutWork(header: string): boolean {
  return /\b(?:work|business|office|company|corporate|primary)|dienst|geschaft|profession|empresa|aziendal|zakelijk|sluzbow|comercial|会社|社用|工作|办公|рабоч/.test(
    simplify(header),
  )
}

/** Whether the name of a column says that it is about something private. */
export function isPrivate(header: string): boolean {
  return /\b(?:personal|private|home|recovery|emergency)\b|privat|\bprive\b|personnel\b|particular/.test(
    simplify(header),
  )
}
