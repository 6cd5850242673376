import { html } from 'hono/html'
import { formatField } from '../../admin/refused-records.ts'
import type { Html } from './page.ts'

/** Renders the message of an error that records have in common, and its field unless the message names it. */
export function describeCause({ message, pointer }: { message: string; pointer: string }): Html {
  const field = formatField(pointer)
  return message.startsWith(`${field} `)
    ? html`${message}`
    : html`${message}${field === '' ? '' : html`: <bdi>${field}</bdi>`}`
}
