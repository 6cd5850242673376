import { ROLES, type Role } from '../accounts/roles.ts'
import { type RecordError, type RecordErrorCode, fieldError } from '../errors.ts'
import { CLIENT_AUTHS, type ClientAuth, type ProviderSettings } from '../provider-settings.ts'
import { trimBlanks } from '#text/normalize-text'

export const MAX_NAME = 120
export const MAX_ISSUER = 1_024
export const MAX_CLIENT_ID = 255
export const MAX_CLAIM = 255
/** Values of the claim that have a role. */
export const MAX_ROLE_VALUES = 50
const MAX_ROLE_VALUE = 255
export const MAX_SECRET = 1_024

/** Settings as people write them. */
export interface GivenSettings extends Omit<ProviderSettings, 'client_auth' | 'roles'> {
  client_auth: string
  roles: readonly { value: string; role: string }[]
}

/** Settings in the form in which they are stored, or everything that is wrong with them. */
type ReadSettings = { settings: ProviderSettings; errors?: never } | { settings?: never; errors: RecordError[] }

/**
 * Validates settings. Returns every error, each with the field that it is about. The issuer is kept exactly as written,
 * because it is compared with what the provider sends. `allowsHttp` is for development.
 */
export function readProviderSettings(given: GivenSettings, { allowsHttp }: { allowsHttp: boolean }): ReadSettings {
  const claim = trimBlanks(given.role_claim ?? '') || null
  const roles = given.roles.map(({ value, role }) => ({ value: trimBlanks(value), role: trimBlanks(role) }))
  const settings = {
    name: trimBlanks(given.name),
    issuer: trimBlanks(given.issuer),
    client_id: trimBlanks(given.client_id),
    client_auth: given.client_auth as ClientAuth,
    creates_users: given.creates_users,
    role_claim: claim,
    roles: roles as { value: string; role: Role }[],
  }
  const errors = [
    ...findTextErrors('name', settings.name, MAX_NAME),
    ...findIssuerErrors(settings.issuer, allowsHttp),
    ...findTextErrors('client_id', settings.client_id, MAX_CLIENT_ID),
    ...(CLIENT_AUTHS.includes(settings.client_auth)
      ? []
      : makeErrors('client_auth', 'invalid_value', `must be one of ${CLIENT_AUTHS.join(', ')}`)),
    ...(claim === null ? [] : findTextErrors('role_claim', claim, MAX_CLAIM)),
    ...findRolesErrors(claim, roles),
  ]
  return errors.length === 0 ? { settings } : { errors }
}

/** What is wrong with a client secret; null if nothing is. The message contains no part of it. */
export function findSecretError(secret: string): RecordError | null {
  return findTextErrors('secret', secret, MAX_SECRET)[0] ?? null
}

function makeErrors(name: string, code: RecordErrorCode, message: string): RecordError[] {
  return [fieldError(`/${name}`, code, `${name} ${message}`)]
}

function findTextErrors(name: string, text: string, longest: number): RecordError[] {
  if (text === '') return makeErrors(name, 'required', 'is required')
  if ([...text].length > longest) return makeErrors(name, 'too_long', `must have at most ${longest} characters`)
  return isPlainText(text) ? [] : makeErrors(name, 'invalid_format', 'contains a character that is not allowed')
}

/** Whether a text has no control characters and no half of a character. */
function isPlainText(text: string) {
  return text.isWellFormed() && !/\p{Cc}/u.test(text)
}

const METADATA = '/.well-known/openid-configuration'

function findIssuerErrors(issuer: string, allowsHttp: boolean): RecordError[] {
  const [error] = findTextErrors('issuer', issuer, MAX_ISSUER)
  if (error) return [error]
  // The parser would drop white space in silence.
  const url = /\s/.test(issuer) ? null : URL.parse(issuer)
  if (!url) return makeErrors('issuer', 'invalid_format', 'must be a URL, such as https://idp.example.com')
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return makeErrors('issuer', 'invalid_value', 'must start with https://')
  if (url.username !== '' || url.password !== '')
    return makeErrors('issuer', 'invalid_value', 'must not contain a user name or password')
  if (/[?#]/.test(issuer))
    return makeErrors('issuer', 'invalid_value', 'must not contain a query (?) or a fragment (#)')
  if (issuer.endsWith(METADATA)) return makeErrors('issuer', 'invalid_value', `must be given without ${METADATA}`)
  return []
}

function findRolesErrors(claim: string | null, roles: readonly { value: string; role: string }[]): RecordError[] {
  if (claim === null)
    return roles.length === 0 ? [] : makeErrors('role_claim', 'required', 'is required, as values of it have roles')
  // Otherwise everyone would become a member at the next sign-in.
  if (roles.length === 0) return makeErrors('roles', 'required', 'must have at least one value, as there is a claim')
  if (roles.length > MAX_ROLE_VALUES)
    return makeErrors('roles', 'too_long', `must have at most ${MAX_ROLE_VALUES} values`)
  const seen = new Set<string>()
  return roles.flatMap(({ value, role }, at) => {
    const isRepeated = seen.size === seen.add(value).size
    const name = `roles/${at}`
    if (!ROLES.includes(role as Role))
      return makeErrors(name, 'invalid_value', `must have one of the roles ${ROLES.join(', ')}`)
    const [error] = findTextErrors(name, value, MAX_ROLE_VALUE)
    if (error) return [error]
    return isRepeated ? makeErrors(name, 'invalid_value', 'repeats a value') : []
  })
}
