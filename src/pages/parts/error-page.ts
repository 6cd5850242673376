import type { FastifyReply } from 'fastify'
import type { Problem } from '#domain/errors'
import { addVary } from '#http/server/compression'
import { acceptsPages } from '#http/server/media-types'
import { logError, sendProblem, toProblem, findProtocol } from '#http/server/problem'
import { toSentence } from './form.ts'
import { html, renderCode } from './elements.ts'
import { sendOpenPage } from './layout.ts'
import { findHome } from '#wording/navigation'

/** Sends a page for a thrown error, with the navigation if the user is signed in. */
export async function sendErrorPage(reply: FastifyReply, error: unknown) {
  const { request } = reply
  const refusal = toProblem(error, request.routeOptions.bodyLimit ?? 0)
  logError(request, error, refusal)
  return sendProblemPage(reply, refusal)
}

/** Sends a problem that has no page of its own: as a page to a browser, unless it asked the API. */
export function sendRefusal(reply: FastifyReply, refusal: Problem) {
  const { request } = reply
  // A cache may store 404 and 405 without being asked to (RFC 9110 section 15.1).
  void reply.header('cache-control', 'no-store')
  if (findProtocol(request)) return sendProblem(request, reply, refusal)
  addVary(reply, 'accept')
  return acceptsPages(request) ? sendProblemPage(reply, refusal) : sendProblem(request, reply, refusal)
}

/** Sends a page that says what went wrong and links to the home page. */
export async function sendProblemPage(reply: FastifyReply, refusal: Problem) {
  const { request } = reply.code(refusal.status)
  const home = request.viewer ? findHome(request.viewer.role) : '/'
  const title = refusal.code === 'route_not_found' ? 'Page not found' : refusal.title
  const body = html`<div>
    <p class="hint">${refusal.status}</p>
    <h1>${title}</h1>
    <p>${toSentence(refusal.detail)}</p>
    <p><a href="${home}">Go to the home page</a></p>
    <p class="hint">Request ID ${renderCode(request.id)}</p>
  </div>`
  return sendOpenPage(request, reply, { title, body })
}
