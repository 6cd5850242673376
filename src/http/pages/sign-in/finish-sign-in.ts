import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordSessionEvents } from '../../../accounts/record-session-events.ts'
import { endSession } from '../../../accounts/users/sessions.ts'
import { clientOf } from '../../access/client.ts'
import { rememberUser } from '../../access/known-browser.ts'
import { findSessionUser, sessionCookie, setSessionCookie } from '../../access/session.ts'
import { sendWayBack } from '../parts/kept-form.ts'
import type { PageServices } from '../parts/page-services.ts'
import type { Destination } from './destination.ts'

interface Finished extends Destination {
  /** The cookie of the new session. */
  cookie: string
  companyId: string
  userId: string
}

/** Gives the browser its new session, ends the previous one, remembers the user, and goes where the person wanted to. */
export async function finishSignIn(
  services: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, companyId, userId, next, kept }: Finished,
): Promise<FastifyReply> {
  const { access, accessPool, company, sessions } = services
  const former = sessionCookie(request, sessions)
  const formerUser = await findSessionUser(access, request, sessions, 'peek')
  if (former !== null && formerUser) {
    await endSession(accessPool, formerUser, { cookie: former, client: clientOf(request), why: 'signed in again' })
    if (formerUser.companyId !== companyId) await recordSessionEvents(company, formerUser.companyId)
  }
  await recordSessionEvents(company, companyId)
  setSessionCookie(reply, sessions, cookie)
  await rememberUser(services, request, reply, { companyId, userId })
  return kept?.companyId === companyId ? sendWayBack(reply, kept) : reply.redirect(next || '/', 303)
}
