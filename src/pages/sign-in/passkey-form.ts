import { findPasskeySupport, type PasskeySupport } from '#accounts/passkeys/relying-party'
import { assetUrl } from '../assets/assets.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { type Destination, renderDestination } from './destination.ts'

export const PASSKEY_PATH = '/sign-in/passkey'

/** Finds out whether passkeys work at the address of this service. */
export function findSupport({ sessions, providers }: Pick<PageServices, 'sessions' | 'providers'>): PasskeySupport {
  return findPasskeySupport(sessions.publicUrl, providers.secrets.hasKey)
}

/** Renders the button that signs in with a passkey. It is shown only where scripts run and the browser has passkeys. */
export function renderPasskeyForm(destination: Destination): Html {
  return html`<p class="alert" role="alert" data-passkey-fault hidden></p>
    <form method="post" action="${PASSKEY_PATH}" class="stack" data-passkey="use" hidden>
      ${renderDestination(destination)}
      <input type="hidden" name="response" />
      <p class="or" aria-hidden="true">or</p>
      <button>Sign in with a passkey</button>
    </form>
    <script src="${assetUrl('passkeys.js')}" type="module"></script>`
}
