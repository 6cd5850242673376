import type { StoredProvider } from '#accounts/providers/read-provider'
import { findProviderAddresses, type ProviderAddresses } from '#domain/providers/provider-addresses'
import type { UserRecord } from '#accounts/users/users'
import { renderBadge } from '../parts/badges.ts'
import { renderFacts } from '../parts/facts.ts'
import { renderForm, type PageForms } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION, buildUrl } from '#wording/navigation'
import { renderCopyable } from '../parts/once.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'

/** What a provider needs of the operator; both are set, or `missing` says what to do. */
type OperatorSettings =
  { addresses: ProviderAddresses; missing?: never } | { addresses: ProviderAddresses | null; missing: Html }

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
  const missing = html`<p class="warning">
    Signing in through an identity provider does not work yet. Ask the operator of this service to set ${settings}.
  </p>`
  return { addresses, missing }
}

const BADGES = {
  off: renderBadge('plain', 'Off'),
  optional: renderBadge('good', 'Optional'),
  required: renderBadge('good', 'Required'),
}

/** Renders the use of a provider as a badge. */
export function renderUse({ use }: StoredProvider): Html {
  return BADGES[use.use]
}

/** What each use means. */
export const MEANINGS = {
  off: 'Nobody can sign in through it. Tests work.',
  optional: 'Users sign in through it, or with a password or passkey.',
  required: 'Users sign in through it.',
}

/** How this service authenticates. */
export const AUTHENTICATION = { client_secret: 'Client secret', private_key_jwt: 'Key pair (private_key_jwt)' }

/** Renders the facts about a provider. */
export function renderProviderFacts(provider: StoredProvider, breakGlass: UserRecord | null, timeZone: string): Html {
  const { settings, use, createdAt } = provider
  const { role_claim: claim, roles } = settings
  return renderFacts([
    ['Use', html`${renderUse(provider)} ${MEANINGS[use.use]}`],
    breakGlass === null
      ? null
      : [
          'Break-glass administrator',
          html`<a href="${NAVIGATION.users.path}/${breakGlass.id}"><bdi>${breakGlass.name}</bdi></a>
            (<bdi>${breakGlass.email}</bdi>), who can sign in with a password`,
        ],
    ['Issuer', html`<code>${settings.issuer}</code>`],
    ['Client ID', html`<code>${settings.client_id}</code>`],
    ['Authentication', AUTHENTICATION[settings.client_auth]],
    ['Create users', settings.creates_users ? 'Yes, of everybody with a verified email at the provider' : 'No'],
    [
      'Roles',
      claim === null
        ? 'Changed only here'
        : html`By the claim <code>${claim}</code>: ${roles.map(({ value, role }, at) => html`${at > 0 ? ', ' : ''}<code>${value}</code> ${role}`)}; otherwise member`,
    ],
    ['Created', renderTime(createdAt, timeZone)],
  ])
}

/** Renders the buttons of a provider. */
export function renderProviderActions(forms: PageForms<'check'>, { id, companyId }: StoredProvider): Html {
  return html`<div class="actions">
    <a class="button primary" href="/sign-in/${companyId}/start?test=1">Test sign-in</a>
    ${renderForm(forms, 'check', { buttons: html`<button>Check</button>` })}
    <a class="button" href="${buildUrl(NAVIGATION.events.path, { id })}">Changes</a>
  </div>`
}

/** Renders the addresses that the provider and the users need. With `keys`, also where the public key is. */
export function renderAddresses(addresses: ProviderAddresses, keys: { keys: object[] } | null): Html {
  return html`<h3>Redirect URI</h3>
    ${renderCopyable('redirect-uri', addresses.redirect)}
    <h3>Back-channel logout URI</h3>
    ${renderCopyable('backchannel-logout-uri', addresses.backchannelLogout)}
    <h3>Post-logout redirect URI</h3>
    ${renderCopyable('post-logout-uri', addresses.postLogout)}
    ${
      keys === null
        ? ''
        : html`<h3>Public key (JWKS)</h3>
            <p>Enter the address, or the key itself if the provider does not fetch it.</p>
            ${renderCopyable('jwks-uri', addresses.jwks)} ${renderCopyable('jwks', JSON.stringify(keys, null, 2))}`
    }`
}

/** Renders the address that administrators share with people who sign in for the first time. */
export function renderSignInLink({ signIn }: ProviderAddresses): Html {
  return html`<p>
      Users who enter their email on the sign-in page are led to the provider. People who are not users yet need this link.
    </p>
    ${renderCopyable('sign-in-link', signIn)}`
}
