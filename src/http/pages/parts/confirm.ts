import { html } from 'hono/html'
import type { Html } from './page.ts'

interface ConfirmedAction {
  /** The verb of the action, such as “Disable”. */
  label: string
  /** What it acts on, for screen readers, where a page has several of the same kind. */
  of?: Html
  /** What will happen, in a sentence. */
  text: string
  /** The path that the form is sent to. */
  action: string
  /** A field that the form sends. */
  field?: { name: string; value: string }
}

/** Renders an action that takes effect at once. Its button opens the question, and a second one answers it. */
export function renderConfirmedAction({ label, of, text, action, field }: ConfirmedAction): Html {
  const subject = of === undefined ? '' : html`<span class="visually-hidden"> ${of}</span>`
  return html`<details class="confirm">
    <summary class="button">${label}${subject}…</summary>
    <form method="post" action="${action}" class="question">
      <p>${text}</p>
      ${field === undefined ? '' : html`<input type="hidden" name="${field.name}" value="${field.value}" />`}
      <button class="danger">${label}${subject}</button>
    </form>
  </details>`
}
