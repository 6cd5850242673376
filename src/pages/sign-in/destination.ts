import type { FastifyReply } from 'fastify'
import { recordSessionEvents } from '#accounts/record-session-events'
import { endSession } from '#accounts/users/sessions'
import { isId } from '#domain/ids'
import { clientOf, findSessionUser, sessionCookie, setSessionCookie } from '#http/access/session'
import { rememberUser } from '#http/access/known-browser'
import { readOwnPath } from '#wording/navigation'
import { type FormFields, renderHidden } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { type KeptForm, readKeptForm, renderKeptForm, sendWayBack } from '../parts/kept-form.ts'
import type { PageServices } from '../parts/page-services.ts'

/** Where a sign-in leads to. */
export interface Destination {
  /** A path of this service; empty for the home page. */
  next: string
  /** The form to go back to, if one was sent without a session. */
  kept: KeptForm | null
}

/** Renders the destination as hidden inputs. */
export function renderDestination({ next, kept }: Destination): Html {
  return html`${renderHidden('next', next)}${renderKeptForm(kept)}`
}

/** Reads the hidden inputs of `renderDestination`. */
export function readDestination(sent: FormFields): Destination {
  return { next: readOwnPath(sent['next']), kept: readKeptForm(sent) }
}

/** Reads the company that a link or a form names, so that only its user signs in; empty if none is named. */
export function readCompany({ company = '' }: FormFields): string {
  return isId('com', company) ? company : ''
}

interface Finished extends Destination {
  /** The cookie of the new session. */
  cookie: string
  companyId: string
  userId: string
}

/** Gives the browser its new session, ends the previous one, remembers the user, and goes where the person wants to. */
export async function finishSignIn(
  services: PageServices,
  reply: FastifyReply,
  { cookie, companyId, userId, next, kept }: Finished,
): Promise<FastifyReply> {
  const { access, accessPool, company, sessions } = services
  const { request } = reply
  const former = sessionCookie(request, sessions)
  const formerUser = await findSessionUser(access, request, sessions, 'peek')
  if (former !== null && formerUser) {
    await endSession(accessPool, formerUser, { cookie: former, client: clientOf(request), why: 'signed in again' })
    if (formerUser.companyId !== companyId) await recordSessionEvents(company, formerUser.companyId)
  }
  await recordSessionEvents(company, companyId)
  setSessionCookie(reply, sessions, cookie)
  await rememberUser(services, reply, { companyId, userId })
  return kept?.companyId === companyId ? sendWayBack(reply, kept) : reply.redirect(next || '/', 303)
}
