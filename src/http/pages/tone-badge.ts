import { html } from 'hono/html'
import type { Html } from './page.ts'

const SIGNS = {
  good: html`<path d="M3 8.5 6.5 12 13 4.5" />`,
  warn: html`<path d="M8 2.5v7M8 12.2v1.6" />`,
  bad: html`<path d="M4 4l8 8M12 4l-8 8" />`,
}

/** A word with the sign and the colour of how good it is. */
export function toneBadge(tone: keyof typeof SIGNS, word: string): Html {
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">${SIGNS[tone]}</svg>${word}</span
  >`
}
