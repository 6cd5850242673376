import type { StoredProvider, Administrator, Unlinked } from '#accounts/providers/providers'
import { findProviderAddresses, type ProviderAddresses } from '#domain/providers/provider-addresses'
import type { UserRecord } from '#accounts/users/users'
import { NAVIGATION, buildUrl } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import {
  renderCode,
  renderBadge,
  renderFacts,
  html,
  type Html,
  renderCopyable,
  renderTime,
  isolate,
  renderButton,
  renderNameLink,
  renderWarning,
  renderJoined,
} from '#pages/parts/elements'
import { renderForm, type PageForms, renderConfirmedAction } from '#pages/parts/form-page'
import type { PageServices } from '#pages/parts/context'

/** What a provider needs of the operator; both are set, or `missing` says what to do. */
type OperatorSettings =
  | { addresses: ProviderAddresses; missing?: never }
  | { addresses: ProviderAddresses | null; missing: Html }

/** Finds the addresses of a company, and what the operator has still to set. */
export function findOperatorSettings(
  { sessions, providers }: Pick<PageServices, 'sessions' | 'providers'>,
  companyId: string,
): OperatorSettings {
  const addresses = findProviderAddresses(sessions.publicUrl, companyId)
  const { hasKey } = providers.secrets
  if (addresses && hasKey) return { addresses }
  const ofUrl = html`<code>PUBLIC_URL</code>, the https address at which browsers reach it`
  const ofKey = html`<code>SECRETS_KEY_FILE</code> or <code>SECRETS_KEY</code>, which protect the secret`
  const settings = addresses ? ofKey : hasKey ? ofUrl : html`${ofUrl}, and ${ofKey}`
  const missing = renderWarning(
    html`Signing in through an identity provider does not work yet. Ask the operator to set ${settings}.`,
  )
  return { addresses, missing }
}

const BADGES = {
  off: renderBadge('plain', 'Off'),
  optional: renderBadge('good', 'Optional'),
  required: renderBadge('good', 'Required'),
}

/** Renders the use of a provider as a badge. */
export function renderUse({ use }: StoredProvider) {
  return BADGES[use.use]
}

/** What each use means. */
export const MEANINGS = {
  off: 'Nobody can sign in through it. You can test it.',
  optional: 'Users sign in through it, or with a password or passkey.',
  required: 'Users sign in through it.',
}

/** How this service authenticates. */
export const AUTHENTICATION = { client_secret: 'Client secret', private_key_jwt: 'Key pair (private_key_jwt)' }

/** Renders the facts about a provider. */
export function renderProviderFacts(provider: StoredProvider, breakGlass: UserRecord | null, timeZone: string) {
  const { settings, use, createdAt } = provider
  const { role_claim: claim, roles } = settings
  return renderFacts({
    Use: html`${renderUse(provider)} ${MEANINGS[use.use]}`,
    'Break-glass administrator':
      breakGlass !== null &&
      html`${renderNameLink(`${NAVIGATION.users.path}/${breakGlass.id}`, breakGlass.name)}
            (${isolate(breakGlass.email)}), who can sign in with a password`,
    Issuer: renderCode(settings.issuer),
    'Client ID': renderCode(settings.client_id),
    Authentication: AUTHENTICATION[settings.client_auth],
    'Create users': settings.creates_users ? 'Yes, for everybody with a verified email at the provider' : 'No',
    Roles:
      claim === null
        ? 'Changed only here'
        : html`By the claim ${renderCode(claim)}: ${renderRoles(roles)}; otherwise member`,
    Created: renderTime(createdAt, timeZone),
  })
}

function renderRoles(roles: StoredProvider['settings']['roles']) {
  return renderJoined(roles.map(({ value, role }) => html`${renderCode(value)} ${role}`))
}

/** Renders the buttons of a provider. */
export function renderProviderActions(forms: PageForms<'check'>, { id, companyId }: StoredProvider) {
  return html`<div class="actions">
    ${renderButton(`/sign-in/${companyId}/start?test=1`, 'Test sign-in', 'primary')}
    ${renderForm(forms, 'check', { buttons: html`<button>Check</button>` })}
    <a class="button" href="${buildUrl(NAVIGATION.events.path, { id })}">Changes</a>
  </div>`
}

/** Renders the addresses that the provider and the users need. With `keys`, also where the public key is. */
export function renderAddresses(addresses: ProviderAddresses, keys: { keys: object[] } | null) {
  return html`<h3>Redirect URI</h3>
    ${renderCopyable('redirect-uri', addresses.redirect)}
    <h3>Back-channel logout URI</h3>
    ${renderCopyable('backchannel-logout-uri', addresses.backchannelLogout)}
    <h3>Post-logout redirect URI</h3>
    ${renderCopyable('post-logout-uri', addresses.postLogout)}
    ${
      keys !== null &&
      html`<h3>Public key (JWKS)</h3>
            <p>Enter the address, or the key itself if the provider does not fetch it.</p>
            ${renderCopyable('jwks-uri', addresses.jwks)} ${renderCopyable('jwks', JSON.stringify(keys, null, 2))}`
    }`
}

/** Renders the address that administrators share with people who sign in for the first time. */
export function renderSignInLink({ signIn }: ProviderAddresses) {
  return html`<p>
      Users who enter their email on the sign-in page are sent to the provider. People who are not users yet need this
      link.
    </p>
    ${renderCopyable('sign-in-link', signIn)}`
}

interface UseChoices {
  provider: StoredProvider
  /** Who can be the break-glass administrator. */
  administrators: Administrator[]
  /** How many users the company has, and how many of them have never signed in through the provider. */
  counts: Unlinked
}

type UseForms = PageForms<'off' | 'optional' | 'require' | 'remove'>

/**
 * Renders the actions that change the use of a provider. `proof` proves who turns on one that is off: whoever controls
 * it can sign in as any user.
 */
export function renderUseForms(forms: UseForms, choices: UseChoices, proof: Html) {
  const { provider } = choices
  const { use } = provider.use
  const howToRequire = html`<p>To require it, make it optional first, and sign in through it.</p>`
  return html`<div class="actions">
      ${use !== 'optional' && renderUseChange(forms, provider, 'optional', proof)}
      ${use !== 'off' && renderUseChange(forms, provider, 'off')}
    </div>
    ${use === 'off' ? howToRequire : renderRequirement(forms, choices)}`
}

function renderRequirement(forms: UseForms, choices: UseChoices) {
  const isRequired = choices.provider.use.use === 'required'
  return html`<h3>${isRequired ? 'Break-glass administrator' : 'Require'}</h3>
    <p>
      ${!isRequired && CONSEQUENCE}One administrator keeps a password in case the provider fails.
      That person cannot be removed, and keeps the role and the password, while the provider is required.
    </p>
    ${isRequired ? renderRequire(forms, choices, 'Change', '') : renderQuestion(forms, choices)}`
}

const CONSEQUENCE =
  'Everybody must sign in through the provider: passwords and passkeys stop, and sessions that began with them end. '

function renderRequire(
  forms: UseForms,
  { provider: { use, version }, administrators }: UseChoices,
  label: string,
  style: string,
) {
  const options = [
    ...(use.break_glass === null ? [{ value: '', label: 'Choose an administrator' }] : []),
    ...administrators.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` })),
  ]
  return renderForm(forms, 'require', {
    version,
    values: { break_glass: use.break_glass ?? '' },
    fields: [{ name: 'break_glass', label: 'Break-glass administrator', options }],
    buttons: html`<button class="${style}">${label}</button>`,
  })
}

/** Asks before everybody's other ways to sign in end. */
function renderQuestion(forms: UseForms, choices: UseChoices) {
  return html`<details class="confirm" ${forms.problemOf('require') !== null && html`open`}>
    <summary class="button">Require provider…</summary>
    <div class="question">
      <p><strong>${describeUnlinked(choices.counts)}</strong></p>
      ${renderRequire(forms, choices, 'Require provider', 'danger')}
    </div>
  </details>`
}

const CHANGES = {
  optional: {
    label: 'Make optional',
    text: 'Users can sign in through the provider, and with a password or passkey if they have one.',
  },
  off: {
    label: 'Turn off',
    text:
      'Nobody can sign in through the provider, and sessions that began there end. Users need a password or ' +
      'passkey.',
  },
}

function renderUseChange(forms: UseForms, provider: StoredProvider, use: keyof typeof CHANGES, fields = html``) {
  const field = { name: 'seen', value: String(provider.version) }
  const isOpen = forms.problemOf(use) !== null
  return renderConfirmedAction({ ...CHANGES[use], action: forms.actionOf(use), field, fields, isOpen })
}

/** Renders the action that removes a provider. */
export function renderRemoval(forms: UseForms, { version }: StoredProvider) {
  const text = 'Its settings and its secret are deleted, and sessions that began there end. Past changes stay recorded.'
  const field = { name: 'seen', value: String(version) }
  return renderConfirmedAction({ label: 'Remove', text, action: forms.actionOf('remove'), field })
}

/** Says how many users have no account at the provider yet. */
export function describeUnlinked({ users, unlinked }: Unlinked) {
  return unlinked === 0
    ? 'All users have signed in through the provider.'
    : `${formatNumber(unlinked)} of ${formatNumber(users)} users have never signed in through the provider.`
}

/** Renders who has no account at the provider yet. */
export function renderUnlinked(counts: Unlinked) {
  const { first, unlinked } = counts
  if (unlinked === 0) return html`<p>Nobody is missing. You can require the provider.</p>`
  const others = unlinked - first.length
  const people = first.map(
    ({ id, name, email }) =>
      html`<li>
        ${renderNameLink(`${NAVIGATION.users.path}/${id}`, name)} <span class="hint">${isolate(email)}</span>
      </li>`,
  )
  return html`<p>They keep their password or passkey until you require the provider, and then need the sign-in link.</p>
    <ul>
      ${people}
      ${others > 0 && html`<li>${formatNumber(others)} more</li>`}
    </ul>`
}
