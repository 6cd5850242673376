import type { NewSecret } from '../../accounts/providers/change-provider.ts'
import { ROLES } from '../../domain/accounts/roles.ts'
import { invalidFields } from '../../domain/field-errors.ts'
import type { ClientAuth, ProviderSettings } from '../../domain/provider-settings.ts'
import {
  findSecretError,
  MAX_CLAIM,
  MAX_CLIENT_ID,
  MAX_ISSUER,
  MAX_NAME,
  MAX_SECRET,
  MAX_ROLE_VALUES,
  readProviderSettings,
} from '../../domain/providers/read-provider-settings.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { renderChoice, renderField, type FormFields, type FormProblem } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { trimBlanks } from '../../domain/normalize-text.ts'

/** The fields of `renderProviderFields`. */
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
function readRole(line: string): { value: string; role: string } {
  const end = line.lastIndexOf('=')
  return end === -1 ? { value: line, role: '' } : { value: line.slice(0, end), role: line.slice(end + 1) }
}

const CREATES_USERS = {
  name: 'creates_users',
  label: 'Create users',
  options: [
    { value: 'no', label: 'No: only people who were invited' },
    { value: 'yes', label: 'Yes: everybody with a verified email at the provider' },
  ],
  hint: 'Whether people become users when they sign in for the first time.',
}

/** Renders the fields of a provider's settings. `example` is what its issuer looks like. */
export function renderProviderFields(fields: FormFields, problem: FormProblem, example?: string): Html {
  const value = (name: string) => fields[name] ?? ''
  const createsUsers = fields['creates_users'] ?? 'no'
  const inputs = [
    {
      name: 'name',
      label: 'Name',
      value: value('name'),
      maxLength: MAX_NAME,
      autocomplete: 'off',
      hint: 'What the button on the sign-in page says.',
    },
    {
      name: 'issuer',
      label: 'Issuer',
      value: value('issuer'),
      maxLength: MAX_ISSUER,
      autocomplete: 'off',
      hint: describeIssuer(example),
    },
    {
      name: 'client_id',
      label: 'Client ID',
      value: value('client_id'),
      maxLength: MAX_CLIENT_ID,
      autocomplete: 'off',
      hint: 'The provider shows it where this service is registered.',
    },
  ] as const
  const ofRoles = [
    {
      name: 'role_claim',
      label: 'Role claim',
      value: value('role_claim'),
      maxLength: MAX_CLAIM,
      autocomplete: 'off',
      isRequired: false,
      hint: 'The claim that decides about roles, such as groups. Empty: roles are changed only here.',
    },
    { name: 'roles', label: 'Roles', value: value('roles'), lines: 4, hint: ROLES_HINT },
  ] as const
  return html`${inputs.map((input) => renderField(input, problem))}
  ${renderChoice({ ...CREATES_USERS, value: createsUsers }, problem)}
  ${ofRoles.map((input) => renderField(input, problem))}`
}

function describeIssuer(example: string | undefined): string {
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

/** Renders the field of the secret with which the service authenticates. */
function renderSecretField(problem: FormProblem, isOptional = false): Html {
  return renderField(
    {
      name: 'secret',
      label: 'Client secret',
      type: 'password',
      maxLength: MAX_SECRET,
      autocomplete: 'off',
      isRequired: !isOptional,
      hint: `${isOptional ? 'Leave it empty for a key pair. ' : ''}It is stored encrypted and never shown again.`,
    },
    problem,
  )
}

/** Renders the fields of how the service authenticates: only the secret if the provider takes no key. */
export function renderSecretFields(
  { client_auth: value = 'client_secret' }: FormFields,
  problem: FormProblem,
  takesNoKey = false,
): Html {
  if (takesNoKey) return renderSecretField(problem)
  return html`${renderChoice({ ...CLIENT_AUTH, value }, problem)} ${renderSecretField(problem, true)}`
}
