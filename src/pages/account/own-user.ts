import type { FastifyRequest } from 'fastify'
import { NO_SUCH_USER } from '../../accounts/users/change-user.ts'
import { findUser, type UserRecord } from '../../accounts/users/users.ts'
import { ProblemError } from '../../http/server/problem.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'

/** Finds the user of a page behind `requireViewer`. */
export async function requireOwnUser({ db }: Pick<PageServices, 'db'>, request: FastifyRequest): Promise<UserRecord> {
  const viewer = getViewer(request)
  const user = await findUser(db, viewer.companyId, viewer.userId)
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user
}
