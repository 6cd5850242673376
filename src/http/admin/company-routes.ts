import type { FastifyInstance } from 'fastify'
import type { CompanyServices } from '../../accounts/change-company.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { authenticateUser, authorizeAdmin, requireRole } from '../access/authorize-user.ts'
import { limitFailures } from '../access/rate-limits.ts'
import type { SignInLimits } from '../access/sign-in-limits.ts'
import type { SessionSettings } from '../access/session.ts'
import { refuseFailedConditions } from '../server/preconditions.ts'
import { attention } from './attention.ts'
import { apiKeys } from './api-keys.ts'
import { company as companyItself } from './company.ts'
import { erasures } from './erasures.ts'
import { personalData } from './personal-data.ts'
import { secretSearch } from './secret-search.ts'
import { invitations } from './invitations.ts'
import { userTokens } from './user-tokens.ts'
import { users } from './users.ts'

interface CompanyRouteServices {
  db: LedgerDb
  /** The primary, on connections that long reads do not use. */
  access: LedgerDb
  company: CompanyServices
  sessions: SessionSettings
  /** Failed authentications of one address in a minute. 0 means no limit. */
  failureLimit: number
  signIns: SignInLimits
}

/**
 * Registers the routes for keys, users and the company (administrators), tokens (every user) and invitations (anyone with
 * a one-time token). Each group checks its own credentials before it reads a body.
 */
export async function companyRoutes(app: FastifyInstance, services: CompanyRouteServices): Promise<void> {
  const { db, access, company, failureLimit, sessions, signIns } = services
  refuseFailedConditions(app)
  invitations(app, company, failureLimit)
  const authenticate = limitFailures(app, failureLimit, authenticateUser(access, sessions))
  await app.register(async (anyRole) => {
    anyRole.addHook('onRequest', authenticate)
    userTokens(anyRole, db, company, { company, sessions, limits: signIns })
  })
  await app.register(async (administrators) => {
    administrators.addHook('onRequest', authenticate)
    administrators.addHook('onRequest', requireRole('admin'))
    apiKeys(administrators, db, company)
    secretSearch(administrators, db)
    users(administrators, db, company)
    companyItself(administrators, db, company)
    erasures(administrators, company)
    personalData(administrators, { ...company, db }, authorizeAdmin(access, sessions))
    attention(administrators, db)
  })
}
