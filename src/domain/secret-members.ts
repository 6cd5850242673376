import { isObject } from './json.ts'

/*
 * Members whose names say that their values are secrets, such as passwords. What is kept of a refused call shows "…"
 * instead of these values, wherever they stand.
 */

const HIDDEN = '…'

/** No name of a secret is longer, in UTF-16 units. */
const MAX_NAME = 128
const MAX_ESCAPED_NAME = 6 * MAX_NAME

/** Printable ASCII, which has no accents. */
const PRINTABLE = /^[\x20-\x7e]*$/

/** What the name of a secret contains, in several languages, and what one of its words ends with or is: no secretary. */
const CONTAINED = [
  ...['password', 'passwd', 'passwort', 'passphrase', 'passcode', 'kennwort', 'contraseña', 'motdepasse', 'senha'],
  ...['wachtwoord', 'lösenord', 'hasło', 'пароль', '密码', '密碼', 'パスワード', '비밀번호'],
]
const CONTAINING = new RegExp(CONTAINED.map(foldName).join('|'))
const ENDING = /(?:secret|token|credential|pwd|apikey|privatekey)s?$|^(?:pass|pw|psw)$/
/** What each of these has, as it is written. Most names and texts have none of it. */
const HINT = /pass|pw|psw|kennw|contrase|senh|wachtw|senord|has[lł]o|secret|token|credential|api.?key|private.?key/i
const HINT_BEYOND_LATIN = /парол|密[码碼]|スワ|비밀/iu

/** Whether the name of a member, in any spelling, says that its value is a secret. */
export function isSecretName(name: string) {
  if (name.length > MAX_NAME || !isSuspect(name)) return false
  const words = foldName(name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ')).split(/[^\p{L}\p{N}]+/u)
  const joined = words.join('')
  const pairs = words.map((word, at) => (words[at - 1] ?? '') + word)
  return CONTAINING.test(joined) || [...words, ...pairs].some((word) => ENDING.test(word))
}

function isSuspect(text: string) {
  return HINT.test(text) || HINT_BEYOND_LATIN.test(text)
}

/** A name without accents, in lower case. */
function foldName(name: string) {
  if (PRINTABLE.test(name)) return name.toLowerCase()
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l')
}

/** Members that name another one, whose value stands beside them. */
const NAMING = ['name', 'key', 'path', 'field', 'attribute']

/**
 * Hides the secrets in a JSON value, at any depth, also in texts that contain members. Returns the value itself if it has
 * none.
 */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideSecretsIn(value)
  if (Array.isArray(value)) {
    const items = value.map(hideSecrets)
    return items.some((item, at) => item !== value[at]) ? items : (value as unknown)
  }
  if (!isObject(value)) return value
  const names = Object.keys(value)
  const isNamed = NAMING.some((name) => {
    const named = Object.hasOwn(value, name) ? value[name] : undefined
    return typeof named === 'string' && isSecretName(named)
  })
  const isHidden = (name: string) => isSecretName(name) || (isNamed && name === 'value')
  const members = names.map((name) => [name, isHidden(name) ? HIDDEN : hideSecrets(value[name])] as const)
  return members.some(([name, shown]) => shown !== value[name]) ? Object.fromEntries(members) : value
}

/** A part of a text, from its first character to the one behind its last. */
type Span = readonly [from: number, to: number]

/** Names and words, in which JSON may have escaped letters. */
const TOKEN = /(?:[\p{L}\p{M}\p{N}_.-]|\\{1,16}u[0-9a-fA-F]{4})+/gu
/**
 * What stands between a name and its value, in JSON, JSON within JSON, forms, and XML; also if the name is itself the
 * value of a member, and the next one is its value.
 */
const BETWEEN = /\\{0,16}["']?\s{0,64}(?:,\s{0,64}\\{0,16}["']?value\\{0,16}["']?\s{0,64})?[:=>]\s{0,64}/y
const NO_WORD = /[^\p{L}\p{N}]/u
const OPENING = /(\\{0,16})(["'])/y
/** Where a value without quotation marks ends. */
const END_OF = { ':': /[\n\r,}\]]/g, '=': /[&\s;,"'<]/g, '>': /</g } as const

/** The names in a text that are looked at. No honest one has more that might be those of secrets. */
const MAX_SUSPECTS = 1_000

/**
 * Finds the values of secrets in a text, such as a body that can't be parsed: linear in its length. Of a text with too
 * many names, all of the rest counts as one.
 */
export function findSecretValues(text: string): Span[] {
  const found: Span[] = []
  let [end, suspects] = [0, 0]
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index < end || token.length > MAX_ESCAPED_NAME) continue
    BETWEEN.lastIndex = index + token.length
    const [between] = BETWEEN.exec(text) ?? []
    if (between === undefined) continue
    // A name may have several words.
    const before = text[index - 1] === ' ' ? text.slice(text.lastIndexOf(' ', index - 2) + 1, index - 1) : ''
    const word = before.length > MAX_NAME ? '' : before.split(NO_WORD).at(-1)!
    const name = `${word} ${readLetters(token)}`
    if (!isSuspect(name)) continue
    suspects += 1
    if (suspects > MAX_SUSPECTS) return [...found, [index, text.length]]
    if (!isSecretName(name)) continue
    const from = index + token.length + between.length
    end = findEndOfValue(text, from, between.trim().at(-1) as keyof typeof END_OF)
    if (end > from) found.push([from, end])
  }
  return found
}

function readLetters(token: string) {
  if (!token.includes('\\')) return token
  return token.replaceAll(/\\{1,16}u([0-9a-fA-F]{4})/g, (_, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  )
}

function findEndOfValue(text: string, from: number, sign: keyof typeof END_OF) {
  OPENING.lastIndex = from
  const [opening, escape = '', mark = ''] = OPENING.exec(text) ?? []
  if (opening !== undefined) return findClosing(text, from + opening.length, mark, escape.length)
  if (text[from] === '{' || text[from] === '[') return findEndOfNested(text, from)
  END_OF[sign].lastIndex = from
  return END_OF[sign].exec(text)?.index ?? text.length
}

/** Where a text in quotation marks ends: behind the closing mark, or where everything ends if there is none. */
function findClosing(text: string, from: number, mark: string, escapes: number) {
  let backslashes = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === mark && (escapes === 0 ? backslashes % 2 === 0 : backslashes === escapes)) return at + 1
    backslashes = text[at] === '\\' ? backslashes + 1 : 0
  }
  return text.length
}

function findEndOfNested(text: string, from: number) {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '"') at = findClosing(text, at + 1, '"', 0) - 1
    else if ('{['.includes(character)) depth += 1
    else if ('}]'.includes(character)) depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}

/** Takes a part of a text, without what is hidden in it. */
export function cutWithout(text: string, hidden: readonly Span[], [from, to]: Span) {
  let shown = ''
  let at = from
  for (const [start, end] of hidden) {
    if (end <= at || start >= to) continue
    shown += text.slice(at, Math.max(at, start)) + HIDDEN
    at = Math.min(end, to)
  }
  return shown + text.slice(at, to)
}

/** Hides the secrets in a text. */
export function hideSecretsIn(text: string) {
  if (!isSuspect(text) && !text.includes('\\u')) return text
  const hidden = findSecretValues(text)
  return hidden.length === 0 ? text : cutWithout(text, hidden, [0, text.length])
}
