import type { FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { readFormFields } from './form.ts'
import type { Html } from './page.ts'

/** Renders what was just done, by the word in `?done=`; nothing for an unknown word. */
export function renderNotice(request: FastifyRequest, texts: Readonly<Record<string, string>>): Html {
  const { done } = readFormFields(request.query)
  return done !== undefined && Object.hasOwn(texts, done)
    ? html`<p class="notice" role="status">${texts[done]}</p>`
    : html``
}
