import { html, type Html } from './html.ts'

interface Section {
  heading: string
  /** What is so now, in a line. */
  status: Html | string
  /** Open at first, as where a form was refused. */
  isOpen?: boolean
}

/** Renders a part of a long page that opens and closes, with its status in a line. */
export function renderSection({ heading, status, isOpen = false }: Section, content: Html): Html {
  return html`<details class="section" ${isOpen && html`open`}>
    <summary>
      <h2>${heading}</h2>
      <span class="hint">${status}</span>
    </summary>
    ${content}
  </details>`
}
