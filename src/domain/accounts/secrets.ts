import { crc32 } from 'node:zlib'
import { isId } from '../ids.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 256 bits take 43 characters of base 62. */
const RANDOM_CHARACTERS = 43
const CHECKSUM_CHARACTERS = 6

/** Formats 32 random bytes as a secret: a prefix that names its kind, 43 base-62 characters, and their checksum. */
export function formatSecret(prefix: string, random: Uint8Array): string {
  const number = BigInt(`0x${Buffer.from(random).toString('hex')}`)
  const body = base62(number, RANDOM_CHARACTERS)
  return `${prefix}${body}${checksum(body)}`
}

/** Whether a text has the form of a secret with a correct checksum. A mistyped secret then needs no look-up. */
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

/** The prefix of an API key's secret. It names the company, so that a look-up searches only this company. */
export function apiKeyPrefix(companyId: string): string {
  return prefixOf('live', companyId)
}

/** The id of the company that an API key's secret names; null if the text is not such a secret. */
export function companyOfApiKey(secret: string): string | null {
  return companyOf('live', secret)
}

/** The prefix of a user's token. It names the company, so that a look-up searches only this company. */
export function userTokenPrefix(companyId: string): string {
  return prefixOf('user', companyId)
}

/** The id of the company that a user's token names; null if the text is not a user's token. */
export function companyOfUserToken(token: string): string | null {
  return companyOf('user', token)
}

/** Finds an API key's secret or a user's token in a text, such as a line of a log; null if there is none. */
export function findSecretIn(text: string): string | null {
  return /el_(?:live|user)_\w*/.exec(text)?.[0] ?? null
}

/** The prefixes of the secrets that the service issues: of keys, tokens, links, sessions and webhooks. */
const ISSUED = /\b((?:el_(?:live|user|link|ses)|whsec)_)([\w+/=]+)/g

/** Replaces the secrets in a text with as many asterisks. */
export function maskSecrets(text: string): string {
  return text.replaceAll(ISSUED, (_, prefix: string, secret: string) => prefix + '*'.repeat(secret.length))
}

/** The prefix of a one-time token, whose bearer may set a password. */
export function linkTokenPrefix(companyId: string): string {
  return prefixOf('link', companyId)
}

/** The id of the company that a one-time token names; null if the text is not a one-time token. */
export function companyOfLinkToken(token: string): string | null {
  return companyOf('link', token)
}

/** The prefix of a session cookie. */
export function sessionPrefix(companyId: string): string {
  return prefixOf('ses', companyId)
}

/** The id of the company that a session cookie names; null if the text is not a session cookie. */
export function companyOfSession(cookie: string): string | null {
  return companyOf('ses', cookie)
}

type Kind = 'live' | 'user' | 'link' | 'ses'

function prefixOf(kind: Kind, companyId: string): string {
  return `el_${kind}_${companyId.slice('com_'.length)}_`
}

function companyOf(kind: Kind, token: string): string | null {
  const [, named, suffix] = /^el_(live|user|link|ses)_([0-9a-z]{26})_/.exec(token) ?? []
  const companyId = `com_${suffix}`
  return named === kind && isId('com', companyId) && isSecret(prefixOf(kind, companyId), token) ? companyId : null
}
