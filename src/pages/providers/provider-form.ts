import type { NewSecret } from '#accounts/providers/providers'
import { ROLES } from '#domain/accounts/roles'
import { invalidFields } from '#domain/errors'
import type { ClientAuth, ProviderSettings } from '#domain/provider-settings'
import {
  findSecretError,
  MAX_CLAIM,
  MAX_CLIENT_ID,
  MAX_ISSUER,
  MAX_NAME,
  MAX_SECRET,
  MAX_ROLE_VALUES,
  readProviderSettings,
} from '#domain/providers/read-provider-settings'
import { ProblemError } from '#http/server/problem'
import type { FormControl, FormFields } from '#pages/parts/form'
import { trimBlanks } from '#text/normalize-text'

/** The names of the fields of `listProviderFields`. */
export const PROVIDER_FIELDS = ['name', 'issuer', 'client_id', 'creates_users', 'role_claim', 'roles'] as const

/** Formats settings as the fields of the form. */
export function formatFields(settings: ProviderSettings): FormFields {
  return {
    name: settings.name,
    issuer: settings.issuer,
    client_id: settings.client_id,
    client_auth: settings.client_auth,
    creates_users: settings.creates_users ? 'yes' : 'no',
    role_claim: settings.role_claim ?? '',
    roles: settings.roles.map(({ value, role }) => `${value} = ${role}`).join('\n'),
  }
}

/** Reads the form that sets a provider up. Throws a problem with an error for each bad field. */
export function readSetupForm(fields: FormFields, allowsHttp: boolean) {
  const clientAuth = fields['client_auth'] ?? 'client_secret'
  const { settings, errors = [] } = readProviderSettings(readFields(fields, clientAuth), { allowsHttp })
  const secret = readNewSecret(fields)
  const fault = secret.clientAuth === 'client_secret' ? findSecretError(secret.secret) : null
  const faults = fault ? [...errors, fault] : errors
  if (!settings || faults.length > 0) throw new ProblemError(invalidFields(faults))
  return { settings, secret }
}

/** Reads the form that changes the settings. Throws a problem with an error for each bad field. */
export function readSettingsForm(fields: FormFields, clientAuth: ClientAuth, allowsHttp: boolean): ProviderSettings {
  const { settings, errors } = readProviderSettings(readFields(fields, clientAuth), { allowsHttp })
  if (errors) throw new ProblemError(invalidFields(errors))
  return settings
}

/** Reads how the service authenticates. */
export function readNewSecret({ client_auth: clientAuth, secret = '' }: FormFields): NewSecret {
  return clientAuth === 'private_key_jwt' ? { clientAuth } : { clientAuth: 'client_secret', secret: trimBlanks(secret) }
}

function readFields(fields: FormFields, clientAuth: string) {
  const { name = '', issuer = '', client_id: clientId = '', role_claim: claim = '', roles = '' } = fields
  return {
    name,
    issuer,
    client_id: clientId,
    client_auth: clientAuth,
    role_claim: claim,
    creates_users: fields['creates_users'] === 'yes',
    roles: roles
      .split('\n')
      .filter((line) => trimBlanks(line) !== '')
      .map(readRole),
  }
}

/** A value may contain an equals sign; a role does not. */
function readRole(line: string) {
  const end = line.lastIndexOf('=')
  return end === -1 ? { value: line, role: '' } : { value: line.slice(0, end), role: line.slice(end + 1) }
}

/** Lists the fields of a provider's settings. `example` is what its issuer looks like. */
export function listProviderFields(example?: string): FormControl[] {
  return [
    {
      name: 'name',
      label: 'Name',
      maxLength: MAX_NAME,
      hint: 'What the button on the sign-in page says.',
    },
    {
      name: 'issuer',
      label: 'Issuer',
      maxLength: MAX_ISSUER,
      hint: describeIssuer(example),
    },
    {
      name: 'client_id',
      label: 'Client ID',
      maxLength: MAX_CLIENT_ID,
      hint: 'The provider shows it where this service is registered.',
    },
    {
      name: 'creates_users',
      label: 'Create users',
      options: [
        { value: 'no', label: 'No: only people who were invited' },
        { value: 'yes', label: 'Yes: everybody with a verified email at the provider' },
      ],
      hint: 'Whether people become users when they sign in for the first time.',
    },
    {
      name: 'role_claim',
      label: 'Role claim',
      maxLength: MAX_CLAIM,
      isRequired: false,
      hint: 'The claim that determines roles, such as groups. Leave empty to change roles only here.',
    },
    { name: 'roles', label: 'Roles', lines: 4, hint: ROLES_HINT },
  ]
}

function describeIssuer(example: string | undefined) {
  const form = 'Exactly as the provider writes it, with or without a slash at the end.'
  return example === undefined ? form : `Such as ${example}. ${form}`
}

const ROLES_HINT =
  `A line for each value of the claim, such as ledger-admins = admin; up to ${MAX_ROLE_VALUES}. ` +
  `Roles are ${ROLES.join(', ')}. Anyone with none of these values becomes a member.`

const CLIENT_AUTHS: { value: ClientAuth; label: string }[] = [
  { value: 'client_secret', label: 'Client secret' },
  { value: 'private_key_jwt', label: 'Key pair made here (private_key_jwt)' },
]
const CLIENT_AUTH = {
  name: 'client_auth',
  label: 'Authentication',
  options: CLIENT_AUTHS,
  hint: 'How this service proves to the provider who it is.',
}

/** Lists the fields of how the service authenticates: only the secret if the provider takes no key. */
export function listSecretFields(takesNoKey = false): FormControl[] {
  return [
    ...(takesNoKey ? [] : [CLIENT_AUTH]),
    {
      name: 'secret',
      label: 'Client secret',
      type: 'password',
      maxLength: MAX_SECRET,
      isRequired: takesNoKey,
      hint: `${takesNoKey ? '' : 'Leave it empty for a key pair. '}It is stored encrypted and never shown again.`,
    },
  ]
}
