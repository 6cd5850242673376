import { html } from 'hono/html'
import type { Html } from './page.ts'

/** A text that is shown once, such as a secret, with a button that copies it. */
export function renderCopyable(id: string, text: string, label = 'Copy'): Html {
  return html`<div class="once">
    <pre><code id="${id}">${text}</code></pre>
    <button type="button" data-copy="#${id}" hidden>${label}</button>
  </div>`
}

/** Warns that what is shown cannot be shown again. */
export function renderCopyWarning(what: string): Html {
  return html`<p class="warning">
    Copy ${what} now: only its digest is kept, so it cannot be shown again. Loading this page anew shows nothing and
    makes nothing new.
  </p>`
}
