import type { Client } from '#domain/client'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { html, type Html } from './html.ts'

/** Renders an address as a link to all calls from it, for administrators. */
export function renderAddressLink(address: string): Html {
  return html`<a href="${buildUrl(NAVIGATION.bulkUserLogs.path, { q: address })}">${address}</a>`
}

/** Renders from where something was sent: the address, and the program. */
export function renderClient({ address, userAgent }: Client, link: Html = html`${address}`): Html {
  return html`${link}${userAgent !== null && html`<div class="hint"><bdi>${userAgent}</bdi></div>`}`
}
