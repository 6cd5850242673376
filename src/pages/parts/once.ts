import { html, type Html } from './html.ts'

/** Renders a text with a button that copies it, such as a secret. */
export function renderCopyable(id: string, text: string, label = 'Copy'): Html {
  return html`<div class="tools">
    <pre><code id="${id}">${text}</code></pre>
    <button type="button" data-copy="#${id}" hidden>${label}</button>
  </div>`
}

/** Warns that a secret is shown only once. */
export function renderCopyWarning(what: string): Html {
  return html`<p class="warning">Copy ${what} now. You won't see it again.</p>`
}
