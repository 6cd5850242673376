import { html } from 'hono/html'
import type { Html } from './page.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

const SIGNS: Record<Tone, Html> = {
  good: html`<path d="M3 8.5 6.5 12 13 4.5" />`,
  warn: html`<path d="M8 2.5v7M8 12.5v1" />`,
  bad: html`<path d="m4 4 8 8M12 4l-8 8" />`,
  plain: html`<path d="M3 8h10" />`,
}

/** A state in a word, with a sign and a colour that say the same. */
export function badge(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}"><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2.5" aria-hidden="true">${SIGNS[tone]}</svg>${word}</span>`
}
