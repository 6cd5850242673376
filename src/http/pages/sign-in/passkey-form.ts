import { html } from 'hono/html'
import { ASSETS } from '../assets/assets.ts'
import type { Html } from '../parts/page.ts'
import { type Destination, renderDestination } from './destination.ts'

export const PASSKEY_PATH = '/sign-in/passkey'

/** Renders the button that signs in with a passkey. It is shown only where scripts run and the browser has passkeys. */
export function renderPasskeyForm(destination: Destination): Html {
  return html`<p class="alert" role="alert" data-passkey-fault hidden></p>
    <form method="post" action="${PASSKEY_PATH}" class="stack" data-passkey="use" hidden>
      ${renderDestination(destination)}
      <input type="hidden" name="response" />
      <button>Sign in with a passkey</button>
    </form>
    <script src="${ASSETS.passkeys.path}" type="module"></script>`
}
