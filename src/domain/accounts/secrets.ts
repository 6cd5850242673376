import { crc32 } from 'node:zlib'
import { isId } from '#domain/ids'
import { hasExpired, isSameHash, type ApiKey } from './api-key.ts'

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

function checksum(body: string) {
  return base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS)
}

function base62(number: bigint, width: number) {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET[Number(rest % 62n)]! + text
  return text.padStart(width, '0')
}

/**
 * The kinds of secrets: of API keys, tokens of users, one-time tokens, whose bearer may set a password, and cookies of
 * sessions. The text of a secret names its kind with these words.
 */
const KINDS = { key: 'live', token: 'user', link: 'link', session: 'ses' } as const

type SecretKind = keyof typeof KINDS

/** The prefix of a secret. It names the company, so that a look-up searches only this company. */
export function prefixOfSecret(kind: SecretKind, companyId: string): string {
  return `el_${KINDS[kind]}_${companyId.slice('com_'.length)}_`
}

/** The id of the company that a secret names; null if the text is not such a secret. */
export function companyOfSecret(kind: SecretKind, text: string): string | null {
  const [, named, suffix] = /^el_(live|user|link|ses)_([0-9a-z]{26})_/.exec(text) ?? []
  const companyId = `com_${suffix}`
  const isOfKind = named === KINDS[kind] && isId('com', companyId)
  return isOfKind && isSecret(prefixOfSecret(kind, companyId), text) ? companyId : null
}

/** Finds an API key's secret or a user's token in a text, such as a line of a log; null if there is none. */
export function findSecretIn(text: string): string | null {
  return /el_(?:live|user)_\w*/.exec(text)?.[0] ?? null
}

/** The prefixes of the secrets that the service issues: of keys, tokens, links, sessions and webhooks. */
const ISSUED = /\b((?:el_(?:live|user|link|ses)|whsec)_)([\w+/=]+)/g

/** Replaces the secrets in a text with as many asterisks. */
export function maskSecrets(text: string) {
  return text.replaceAll(ISSUED, (_, prefix: string, secret: string) => prefix + '*'.repeat(secret.length))
}

/**
 * Why a secret that is or was a key's did not let a call in: the key was revoked, it has expired, or it has another
 * secret now.
 */
export type TurnedAwayReason = 'former_secret' | 'expired' | 'revoked'

/** A key, and when each of its former secrets was replaced (RFC 3339 UTC), by their SHA-256 (hexadecimal). */
type KnownKey = Pick<ApiKey, 'secretHash' | 'previous' | 'isRevoked' | 'expiresAtMs'> & {
  formerSecrets: Readonly<Record<string, string>>
}

/** Says why a secret, which is not valid, did not let a call in; null if it never was the key's, as far as is known. */
export function whyTurnedAway(key: KnownKey, presentedHash: string, nowMs: number): TurnedAwayReason | null {
  const isCurrent = isSameHash(key.secretHash, presentedHash)
  const former = [...Object.keys(key.formerSecrets), ...(key.previous ? [key.previous.secretHash] : [])]
  if (!isCurrent && !former.some((hash) => isSameHash(hash, presentedHash))) return null
  if (key.isRevoked) return 'revoked'
  const { previous } = key
  const isPrevious = previous !== null && isSameHash(previous.secretHash, presentedHash)
  const worksUntilExpiry = isCurrent || (isPrevious && nowMs < previous.expiresAtMs)
  return worksUntilExpiry && hasExpired(key.expiresAtMs, nowMs) ? 'expired' : 'former_secret'
}
