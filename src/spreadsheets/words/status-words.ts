import { trimBlanks } from '../../text/normalize-text.ts'
import { simplify } from './recognize-header.ts'

/** What a word in a column of statuses means. */
export type Status = 'active' | 'inactive'

/* The words for people who are employed and who are not, and for yes and no, separated by commas, as `HEADER_WORDS`. */

const ACTIVE = `active, employed, current, enabled, provisioned, working, in service, aktiv, beschäftigt, angestellt,
  actif, active, en poste, présent, activo, activa, alta, en activo, attivo, attiva, in forza, in servizio, actief,
  in dienst, aktywny, aktywna, zatrudniony, zatrudniona, ativo, ativa, em atividade, 在職, 在職中, 在籍, 在籍中, 有効, 在职,
  在职中, 正常, 启用, активен, активна, действующий, работает, نشط`

const INACTIVE = `inactive, terminated, left, leaver, former, former employee, ex employee, deactivated, deprovisioned,
  disabled, resigned, dismissed, retired, deceased, archived, inaktiv, ausgeschieden, ausgetreten, ehemalig,
  deaktiviert, inactif,
  inactive, sorti, sortie, parti, partie, désactivé, inactivo, inactiva, baja, cesado, desactivado, inattivo, inattiva,
  cessato, cessata, dimesso, licenziato, inactief, uit dienst, nieaktywny, nieaktywna, zwolniony, zwolniona, inativo,
  inativa, demitido, desligado, 退職, 退職済, 退職済み, 離職, 退社, 無効, 离职, 已离职, 离职人员, 停用, 离退, уволен, уволена, неактивен,
  غير نشط`

const YES =
  'yes, y, true, t, 1, ja, j, wahr, oui, o, vrai, si, s, verdadero, vero, tak, prawda, sim, verdadeiro, はい, 是, да'
const NO = 'no, n, false, f, 0, nein, falsch, non, faux, falso, nee, onwaar, nie, falsz, nao, いいえ, 否, нет'

const list = (words: string) => words.split(',').map(simplify)
const STATUSES: ReadonlyMap<string, Status> = new Map([
  ...list(ACTIVE).map((word): [string, Status] => [word, 'active']),
  ...list(INACTIVE).map((word): [string, Status] => [word, 'inactive']),
])
const ANSWERS: ReadonlyMap<string, boolean> = new Map([
  ...list(YES).map((word): [string, boolean] => [word, true]),
  ...list(NO).map((word): [string, boolean] => [word, false]),
])

/** Of a longer text, so many UTF-16 units are looked at. */
const MAX_WORD = 128

/** Reads a word for a status; undefined if it is not known. */
export function readStatusWord(text: string): Status | undefined {
  return STATUSES.get(simplify(text.slice(0, MAX_WORD)))
}

/** What stands before the unit in a distinguished name (RFC 4514): `CN=Perez\\, Ana,`. */
const COMMON_NAME = /^(?:CN|UID)=(?:\\.|[^,\\])*,(?=[^=]+=)/i

/** Whether a text is the distinguished name of somebody in a unit. */
export function isInUnit(cell: string): boolean {
  return COMMON_NAME.test(cell)
}

/** The word of a cell that may say who has left: of a distinguished name, the unit in which a directory keeps it. */
export function readWordOf(cell: string): string {
  return trimBlanks(trimBlanks(cell).replace(COMMON_NAME, ''))
}

/** Whether a text says, beside other things, that somebody has left: "LEFT 31/05/2024 - do not pay". */
export function mentionsLeaving(text: string): boolean {
  const words = simplify(text.slice(0, MAX_WORD)).split(' ')
  const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`)
  return [...words, ...pairs].some((word) => STATUSES.get(word) === 'inactive')
}

/** The shortest beginning of a word, in Latin letters, that tells that it is about leaving. */
const TELLING = 6

/**
 * Whether a text, such as a department's name, or a part of a path, begins with a word for people who have left: "Former
 * employees", "/Staff/Former", "OU=Disabled Users,DC=example".
 */
export function isOfLeavers(text: string): boolean {
  const parts = text
    .slice(0, MAX_WORD)
    .split(/[/\\>,=]/)
    .map(simplify)
  const isBeginning = ([word, status]: [string, Status]) =>
    status === 'inactive' && (word.length >= TELLING || word > 'z') && parts.some((part) => part.startsWith(word))
  return [...STATUSES].some(isBeginning)
}

/** Whether a name has a mark of somebody who has left: "Park (left)", "† Rex", "zzz_Pip". */
export function isMarkedAsLeft(name: string): boolean {
  const beginning = name.slice(0, MAX_WORD)
  return (
    /[†✝]|^(?:zz+|xx+)[\s._-]/i.test(name) ||
    (BETWEEN_PARTS.test(beginning) &&
      beginning.split(BETWEEN_PARTS).some((part) => readStatusWord(part) === 'inactive'))
  )
}

const BETWEEN_PARTS = /[()[\]{}*]|\s[-–—:/]\s/

/** Reads yes or no, in several languages; undefined if it is neither. */
export function readYesOrNo(text: string): boolean | undefined {
  return ANSWERS.get(simplify(text.slice(0, MAX_WORD)))
}
