import { html } from 'hono/html'
import type { Html } from './page.ts'

/** Values of a query string by name; what is undefined or empty is left out. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** A path with a query string. */
export function addressOf(path: string, values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

export interface PageLink {
  label: string
  rel: 'prev' | 'next' | 'first'
  /** Null when there is no such page. */
  href: string | null
}

/** The links between the pages of a list. One that leads nowhere is there and hidden: a script may come to need it. */
export function pageLinks(links: PageLink[]): Html {
  const shown = links.map(({ label, rel, href }) => html`<a class="button" rel="${rel}" href="${href ?? ''}" ${href === null ? html`hidden` : ''}>${label}</a>`)
  return html`<nav class="pages" aria-label="Pages">${shown}</nav>`
}
