import { renderHidden } from './form.ts'
import { html, type Html } from './html.ts'

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
  /** Fields that somebody fills in to answer the question. */
  fields?: Html
  /** Whether the question is open, as after an answer that was refused. */
  isOpen?: boolean
}

/** Renders an action that takes effect at once. Its button opens the question, and a second one answers it. */
export function renderConfirmedAction(asked: ConfirmedAction): Html {
  const { label, of, text, action, field, fields, isOpen = false } = asked
  const subject = of === undefined ? '' : html`<span class="visually-hidden"> ${of}</span>`
  return html`<details class="confirm" ${isOpen && html`open`}>
    <summary class="button">${label}${subject}…</summary>
    <form method="post" action="${action}" class="question">
      <p>${text}</p>
      ${field !== undefined && renderHidden(field.name, field.value)}
      ${fields ?? ''}
      <button class="danger">${label}${subject}</button>
    </form>
  </details>`
}
