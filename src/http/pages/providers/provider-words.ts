import type { StoredProvider } from '../../../accounts/providers/read-provider.ts'
import { findProviderAddresses, type ProviderAddresses } from '../../../domain/providers/provider-addresses.ts'
import { renderBadge } from '../parts/badges.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'

/** What a provider needs of the operator; both are set, or `missing` says what to do. */
type OperatorSettings =
  { addresses: ProviderAddresses; missing?: never } | { addresses: ProviderAddresses | null; missing: Html }

/** Finds the addresses of a company, and what the operator has still to set. */
export function findOperatorSettings(
  { sessions, providers }: Pick<PageServices, 'sessions' | 'providers'>,
  companyId: string,
): OperatorSettings {
  const addresses = findProviderAddresses(sessions.publicUrl, companyId)
  if (addresses && providers.secrets.hasKey) return { addresses }
  const missing = html`<p class="warning">
    Signing in through an identity provider does not work yet. Ask the operator of this service to set
    ${addresses ? '' : html`<code>PUBLIC_URL</code>, the https address at which browsers reach it`}${addresses || providers.secrets.hasKey ? '' : ', and '}${providers.secrets.hasKey ? '' : html`<code>SECRETS_KEY_FILE</code> or <code>SECRETS_KEY</code>, which protect the secret`}.
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
