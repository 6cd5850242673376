import { domainToASCII, domainToUnicode } from 'node:url'

/*
 * The domain of an email address can be written in its own script or as Punycode (RFC 5890): both are one address. It is
 * stored in its own script. Earlier versions stored what was sent.
 */

/** The address with its domain in its own script; as it is if its domain isn't valid Punycode. */
export function readPunycode(email: string): string {
  const at = email.indexOf('@') + 1
  const domain = email.slice(at)
  if (!domain.includes('xn--')) return email
  const read = domainToUnicode(domain)
  return read !== domain && domainToASCII(read) === domain ? email.slice(0, at) + read : email
}

/** The forms in which a normalized address may be stored: with Punycode in older ledgers. */
export function listStoredAddresses(sent: string): string[] {
  const email = readPunycode(sent)
  const at = email.indexOf('@') + 1
  const written = /^[\x20-\x7e]*$/.test(email) ? '' : domainToASCII(email.slice(at))
  return written === '' || written === email.slice(at) ? [email] : [email, email.slice(0, at) + written]
}
