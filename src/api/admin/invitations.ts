import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { acceptInvitation } from '../../accounts/users/set-password.ts'
import type { CompanyServices } from '../../accounts/change-company.ts'
import { RefusedCredentialsError } from '../../domain/errors.ts'
import { invalidCredentials } from '../../http/server/problem.ts'
import { clientOf } from '../../http/access/session.ts'
import { limitFailures } from '../../http/access/rate-limits.ts'
import { JSON_BODY, setPositionHeader } from './company-schemas.ts'
import { AcceptBody, ShownUser, renderUser } from './user-schemas.ts'

const ACCEPT_INVITATION = {
  operationId: 'acceptInvitation',
  summary: 'Set a password with the one-time token of an invitation or reset',
  description: 'The token is the only credential, and can be used once. The user can then sign in.',
  security: [],
  body: AcceptBody,
  response: { 200: ShownUser },
  problems: ['invalid_credentials', 'provider_required'],
} as const satisfies FastifySchema

/**
 * The route that sets a password with a one-time token. The token is the only credential, so failures count towards the
 * limit of failed authentications.
 */
export function invitations(app: FastifyInstance, services: CompanyServices, failureLimit: number): void {
  const accept = limitFailures(failureLimit, async (request, reply) => {
    const body = (request as FastifyRequest<{ Body: Static<typeof AcceptBody> }>).body
    const { user, position } = await acceptInvitation(services, { ...body, client: clientOf(request) }).catch(
      (error: unknown) => {
        throw error instanceof RefusedCredentialsError ? invalidCredentials() : error
      },
    )
    await setPositionHeader(reply, position).send(renderUser(user))
  })

  app.post('/invitations/accept', { schema: ACCEPT_INVITATION, ...JSON_BODY }, accept)
}
