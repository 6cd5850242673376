import type { FastifyRequest } from 'fastify'
import { readFormFields } from './form.ts'
import { html, type Html } from './html.ts'

/** Renders what was just done, by the word in `?done=`; nothing for an unknown word. */
export function renderNotice(request: FastifyRequest, texts: Readonly<Record<string, string>>): Html {
  const { done } = readFormFields(request.query)
  return done !== undefined && Object.hasOwn(texts, done)
    ? html`<p class="notice" role="status">${texts[done]}</p>`
    : html``
}
