import { crc32 } from 'node:zlib'
import { isId } from '../ids.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 256 bits need 43 characters of base 62. */
const RANDOM_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6

/** 32 random bytes as a secret: a prefix that names its kind, 43 base62 characters, and a checksum of those. */
export function formatSecret(prefix: string, random: Uint8Array): string {
  const number = BigInt(`0x${Buffer.from(random).toString('hex')}`)
  const body = base62(number, RANDOM_CHARACTERS)
  return `${prefix}${body}${checksum(body)}`
}

/** Whether a text has the form of a secret and its checksum is right: a mistyped one needs no look-up. */
export function isSecret(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS) return false
  const body = text.slice(prefix.length, -CHECKSUM_CHARACTERS)
  return /^[0-9A-Za-z]+$/.test(body) && checksum(body) === text.slice(-CHECKSUM_CHARACTERS)
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS)
}

function base62(number: bigint, width: number): string {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text
  return text.padStart(width, '0')
}

/** `x-api-key` begins with this. */
export const API_KEY_PREFIX = 'el_live_'

/** A user's token begins with this; its company stands in it, so that no look-up has to ask all companies. */
export function userTokenPrefix(companyId: string): string {
  return prefixOf('user', companyId)
}

/** The company that a user's token names, or null when the text is no such token. */
export function companyOfUserToken(token: string): string | null {
  return companyOf('user', token)
}

/** The one-time token that lets its bearer set a password begins with this. */
export function linkTokenPrefix(companyId: string): string {
  return prefixOf('link', companyId)
}

/** The company that a one-time token names, or null when the text is no such token. */
export function companyOfLinkToken(token: string): string | null {
  return companyOf('link', token)
}

/** The cookie of a session begins with this. */
export function sessionPrefix(companyId: string): string {
  return prefixOf('ses', companyId)
}

/** The company that a session's cookie names, or null when the text is no such cookie. */
export function companyOfSession(cookie: string): string | null {
  return companyOf('ses', cookie)
}

type Kind = 'user' | 'link' | 'ses'

function prefixOf(kind: Kind, companyId: string): string {
  return `el_${kind}_${companyId.slice('com_'.length)}_`
}

function companyOf(kind: Kind, token: string): string | null {
  const [, named, suffix] = /^el_(user|link|ses)_([0-9a-z]{26})_/.exec(token) ?? []
  const companyId = `com_${suffix}`
  return named === kind && isId('com', companyId) && isSecret(prefixOf(kind, companyId), token) ? companyId : null
}
