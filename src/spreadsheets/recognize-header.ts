import type { HeaderMeaning } from './header-words.ts'
import { HEADER_WORDS } from './header-words.ts'

const LATIN: Readonly<Record<string, string>> = { ß: 'ss', ł: 'l', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i' }

/**
 * Simplifies a text for comparison: without capitals, accents of Latin letters, and signs, and with blanks between
 * words.
 */
export function simplify(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replaceAll(/[ßłøæœđı]/g, (letter) => LATIN[letter]!)
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()
}

const MEANINGS: ReadonlyMap<string, HeaderMeaning> = new Map(
  Object.entries(HEADER_WORDS).flatMap(([meaning, languages]) =>
    Object.values(languages).flatMap((words: string) =>
      words.split(', ').map((word): [string, HeaderMeaning] => [join(word), meaning as HeaderMeaning]),
    ),
  ),
)

function join(text: string): string {
  return simplify(text).replaceAll(' ', '')
}

/** What a system adds to the name of a column: `[Required]`, `(optional)`, `*`, a number, the format of dates. */
const ADDED = /\s+\[[^\]]*\]|\s*\((?:required|optional|pflichtfeld|obligatoire|[0-9]+|[dmyjat./ -]+)\)|\s*\*+\s*$/gi
/** What systems put before the names of columns that their users add. */
const OWN_COLUMN = /^(?:x|u|cf|custom)_+(?=\p{L})/iu

/** The longest name that is looked at, in UTF-16 units. */
const MAX_NAME = 256

/** Recognizes what a column is by its name, in many languages; null if the name is not known. */
export function recognizeHeader(header: string): HeaderMeaning | null {
  const name = header.slice(0, MAX_NAME)
  // The innermost name of a nested value: `profile.firstName`, `name/familyName`.
  const plain = name
    .replaceAll(ADDED, '')
    .replace(OWN_COLUMN, '')
    .replace(/[./](?:value|work|primary)$/i, '')
  const parts = plain.split(/[.:/](?=\p{L})/u)
  for (const text of [name, plain]) {
    const meaning = MEANINGS.get(join(text))
    if (meaning) return meaning
  }
  // What a nested manager has is about the manager.
  if (parts.slice(0, -1).some((part) => MEANINGS.get(join(part)) === 'manager')) return 'manager'
  return MEANINGS.get(join(parts.at(-1)!)) ?? null
}

const SECRET =
  /pass ?wor[dt]|pass ?code|pass ?phrase|kennwort|credential|mot de passe|contrasena|wachtwoord|haslo|palavra ?passe|パスワード|密码|пароль|secret|api ?key|private ?key|one time code|recovery code|security answer/

/** Whether a column holds passwords or the like, which are kept nowhere. */
export function isSecretHeader(header: string): boolean {
  const name = header.slice(0, MAX_NAME)
  return recognizeHeader(name) === 'never_store' || SECRET.test(simplify(name))
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
