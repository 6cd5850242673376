import { html } from 'hono/html'
import { ASSETS } from '../assets/assets.ts'
import { type KeptForm, renderKeptForm } from '../parts/kept-form.ts'
import type { Html } from '../parts/page.ts'

export const PASSKEY_PATH = '/sign-in/passkey'

/** Where a sign-in leads to. */
export interface Destination {
  /** A path of this service; empty for the home page. */
  next: string
  /** The form to go back to, if one was sent without a session. */
  kept: KeptForm | null
}

/** Renders the destination as hidden inputs. */
export function renderDestination({ next, kept }: Destination): Html {
  return html`<input type="hidden" name="next" value="${next}" />${renderKeptForm(kept)}`
}

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
