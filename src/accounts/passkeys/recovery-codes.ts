import { hash, randomBytes } from 'node:crypto'
import { RECOVERY_CODES } from '#domain/accounts/passkeys'

/** Crockford's base 32: no letters that are mistaken for digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 24 characters of 5 random bits: 120 bits cannot be guessed, so a plain digest protects them (ASVS 5, 6.5.2). */
const CHARACTERS = 24
const CODE = new RegExp(`^[${ALPHABET}]{${CHARACTERS}}$`)

/** Makes new recovery codes, such as `7KQ2-X9RM-…`. They are shown once; only their hashes are stored. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const characters = Array.from(randomBytes(CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]!)
    return characters.join('').replace(/.{4}(?!$)/g, '$&-')
  })
}

/** The SHA-256 of a recovery code as someone typed it; null if it cannot be one. */
export function hashRecoveryCode(typed: string): Buffer | null {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return CODE.test(code) ? hash('sha256', code, 'buffer') : null
}
