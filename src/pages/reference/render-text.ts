import { html, type Html } from '../parts/html.ts'

const MARKED = /`([^`]+)`|\[([^\]]+)\]\([^)\s]+\)/g

/** Renders a text with code between backticks. Of links to other sites, it keeps the words: pages name no such address. */
export function renderText(text: string): Html[] {
  const parts: Html[] = []
  let end = 0
  for (const { 0: whole, 1: code, 2: label, index } of text.matchAll(MARKED)) {
    parts.push(html`${text.slice(end, index)}`, code === undefined ? html`${label}` : html`<code>${code}</code>`)
    end = index + whole.length
  }
  return [...parts, html`${text.slice(end)}`]
}

/** Renders a text of several paragraphs. */
export function renderParagraphs(text: string | undefined): Html[] {
  return (text ?? '')
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p>${renderText(paragraph)}</p>`)
}
