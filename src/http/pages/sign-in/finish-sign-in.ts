import type { FastifyReply, FastifyRequest } from 'fastify'
import { endSession } from '../../../accounts/users/sessions.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { findSessionUser, sessionCookie, type SessionSettings, setSessionCookie } from '../../access/session.ts'
import { sendWayBack } from '../parts/kept-form.ts'
import type { Destination } from './destination.ts'

interface Finished extends Destination {
  /** That of the new session. */
  cookie: string
  companyId: string
}

/** Gives the browser its new session, ends the previous one, and goes where the person wanted to. */
export async function finishSignIn(
  { access, sessions }: { access: LedgerDb; sessions: SessionSettings },
  request: FastifyRequest,
  reply: FastifyReply,
  { cookie, companyId, next, kept }: Finished,
): Promise<FastifyReply> {
  const former = sessionCookie(request, sessions)
  if (former !== null && (await findSessionUser(access, request, sessions, 'peek'))) await endSession(access, former)
  setSessionCookie(reply, sessions, cookie)
  return kept?.companyId === companyId ? sendWayBack(reply, kept) : reply.redirect(next || '/', 303)
}
