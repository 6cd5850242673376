import { formatField } from '#domain/errors'
import { html, isolate } from './elements.ts'

/** Renders the message of an error that records have in common, and its field unless the message names it. */
export function describeCause({ message, pointer }: { message: string; pointer: string }) {
  const field = formatField(pointer)
  return message.startsWith(`${field} `)
    ? html`${message}`
    : html`${message}${field !== '' && html`: ${isolate(field)}`}`
}
