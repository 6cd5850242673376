import { MAX_EMAIL_CHARACTERS } from '../attributes.ts'
import { mayFit, normalizeEmail } from '#text/normalize-text'
import { IDENTIFYING_FIELDS, type EventData, type SentJson } from '../events.ts'
import { isObject } from '../json.ts'
import { type KeptNames, type Locator, UnreadRecord } from './call-records.ts'
import { hideSecrets, hideSecretsIn } from '../secret-members.ts'

/*
 * The ledger keeps a refused record unchanged. It cuts a large record to the beginning of its JSON text and keeps the
 * identifiers in it, so that the person can still be found. A record takes less than 120 kB: its text, at most 16
 * errors of less than 2 kB each, six identifiers of less than 3.1 kB each, and its locator.
 */

/** The largest refused record that is kept whole, in bytes of its JSON in UTF-8. */
export const MAX_RECORD_BYTES = 65_536
/** Nobody can look for a longer name: twice the 254 characters that a search takes, as UTF-16 units. */
export const MAX_NAME_UNITS = 2 * MAX_EMAIL_CHARACTERS

/** The members of a rejected record's event that hold what was sent. */
type KeptRecord = Pick<EventData['EmployeeRecordRejected'], 'record' | 'truncated' | 'names'>

/** Keeps a refused record without secrets: whole up to MAX_RECORD_BYTES, else the beginning of its JSON text. */
export function keepRecord(sent: SentJson, names?: KeptNames): KeptRecord {
  const named = names ? { names } : {}
  if (sent instanceof UnreadRecord)
    return { record: beginningOf(hideSecretsIn(sent.text)), truncated: true, names: namesOf(sent.names) }
  let text = JSON.stringify(sent)
  if (mayBeKept(text)) {
    const shown = hideSecrets(sent)
    if (shown === sent) return { record: sent, ...named }
    text = JSON.stringify(shown)
    if (mayBeKept(text)) return { record: shown, ...named }
  }
  // What is behind this is cut off.
  const start = hideSecretsIn(text.slice(0, MAX_RECORD_BYTES))
  return { record: beginningOf(start), truncated: true, names: names ?? namesOf(sent) }
}

function mayBeKept(text: string) {
  return text.length <= MAX_RECORD_BYTES && Buffer.byteLength(text) <= MAX_RECORD_BYTES
}

/** A locator, unless it is longer than any name could be. */
export function keepLocator(field: Locator['field'], value: string) {
  return value.length <= MAX_NAME_UNITS ? { [field]: value } : null
}

/** The characters of JSON that a JSON string writes with an escape of two. */
const ESCAPED = '"\\\n\r\t'

/** As many whole characters as fit when they are written as a JSON string once more. */
function beginningOf(text: string) {
  let bytes = '""'.length
  let end = 0
  for (const character of text) {
    bytes += ESCAPED.includes(character) ? 2 : utf8Bytes(character.codePointAt(0)!)
    if (bytes > MAX_RECORD_BYTES) break
    end += character.length
  }
  // A copy: a slice would hold on to all of the text for as long as it lives.
  return Buffer.from(text.slice(0, findWordEnd(text, end))).toString()
}

/** Where the last whole word before a cut ends. Part of an email address would not be found when the person is erased. */
export function findWordEnd(text: string, end: number) {
  for (let at = end; at > end - MAX_NAME_UNITS && at > 0; at -= 1) if (ENDS_WORD.test(text[at - 1]!)) return at
  return end
}

/** What no email address, id or secret contains. */
export const ENDS_WORD = /[\s"(),:;<>[\]\\]/

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

function namesOf(sent: SentJson): NonNullable<KeptRecord['names']> {
  const names: NonNullable<KeptRecord['names']> = {}
  if (!isObject(sent)) return names
  for (const name of IDENTIFYING_FIELDS) {
    const value = Object.hasOwn(sent, name) ? nameKept(name, sent[name]) : null
    if (value !== null) names[name] = value
  }
  return names
}

/** A value by which somebody could be meant: a number spells an external id. */
function nameKept(name: (typeof IDENTIFYING_FIELDS)[number], value: SentJson) {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const isEmail = name === 'email' || name === 'manager_email' || name === 'user_name'
  if (isEmail && !mayFit(value, MAX_EMAIL_CHARACTERS)) return null
  const text = isEmail ? normalizeEmail(value) : value
  return text.length <= MAX_NAME_UNITS ? text : null
}
