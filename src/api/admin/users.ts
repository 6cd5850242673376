import type { FastifyInstance, FastifyReply, FastifySchema, FastifyRequest } from 'fastify'
import type { CompanyServices } from '#accounts/change-company'
import {
  changeUserRole,
  NO_SUCH_USER,
  removeUser,
  resetUserPassword,
  inviteCompanyUser,
  type UserWithLink,
} from '#accounts/users/change-user'
import { eraseUser } from '#personal-data/erase-user'
import { readEmailAddress } from '#domain/attributes'
import type { LedgerDb } from '#ledger/tables'
import { findUser, listUsers, type SignedInUser, listUserTokens } from '#accounts/users/users'
import { fieldError, invalidFields, RefusedCredentialsError, ADMIN_ONLY, type Problem, problem } from '#domain/errors'
import { codeOf, wordFault } from '#domain/record-faults'
import { pageBefore, pageOf } from '#http/server/query-values'
import { ProblemError, invalidCredentials } from '#http/server/problem'
import { idIn, NO_CONTENT, describeAction } from '#http/openapi/schema-parts'
import { actingUser, JSON_BODY, MERGE_PATCH_BODY, setPositionHeader, trimName } from './company-schemas.ts'
import {
  ChangeUserBody,
  InviteBody,
  InvitedUser,
  ShownUser,
  renderUser,
  UserList,
  UserListQuery,
  AcceptBody,
  USER_ACTIONS,
  IssueTokenBody,
  renderToken,
  TokenList,
  TokenListQuery,
  TokenWithSecret,
  TOKEN_ACTIONS,
} from './user-schemas.ts'
import type { Static } from '@sinclair/typebox'
import { acceptInvitation } from '#accounts/users/set-password'
import { clientOf } from '#http/access/session'
import { limitFailures } from '#http/access/rate-limits'
import { issueUserToken, NO_SUCH_TOKEN, revokeUserToken } from '#accounts/users/user-tokens'
import { isId } from '#domain/ids'
import { type Proof, RECENT_MINUTES } from '#accounts/passkeys/prove-again'
import { requireSession, userOf, checkProof, type ProofServices } from '#http/access/authorize-user'

/** The id of a user in a path. */
export const { schema: ofUser, read: readUserId, require: requireUser } = idIn('user', 'usr', NO_SUCH_USER)

const LIST_USERS = {
  operationId: 'listUsers',
  summary: 'List users, newest first',
  description: 'Without `status`, the list has the users who can sign in and those who are invited.',
  querystring: UserListQuery,
  response: { 200: UserList },
} satisfies FastifySchema

const GET_USER = {
  operationId: 'getUser',
  summary: 'Get a user',
  description: 'Removed users can be read too. A user who was erased has no name and no email address.',
  ...ofUser,
  response: { 200: ShownUser },
} satisfies FastifySchema

const INVITE_USER = {
  operationId: 'inviteUser',
  summary: 'Invite a user',
  description:
    'The response has a one-time token, shown only once. With it, the user sets a password and can then sign in. ' +
    'The service sends it by email if it is configured to; otherwise, pass it on. Where the company requires its ' +
    'identity provider, the page of the token, `/invitation?token=…`, links the user to an account there instead.',
  body: InviteBody,
  response: { 201: InvitedUser },
  problems: ['user_exists'],
} satisfies FastifySchema

const CHANGE_USER = {
  operationId: 'changeUser',
  summary: "Change a user's role",
  description: 'The new role applies at once. A company always keeps an administrator.',
  ...ofUser,
  body: ChangeUserBody,
  response: { 200: ShownUser },
  problems: ['user_not_found', 'user_removed', 'last_admin', 'break_glass_user'],
} satisfies FastifySchema

const REMOVE_USER = {
  ...ofUser,
  ...describeAction(USER_ACTIONS.remove),
  response: { 204: NO_CONTENT },
} satisfies FastifySchema

const ERASE_USER = {
  ...ofUser,
  ...describeAction(USER_ACTIONS.erase),
  response: { 200: ShownUser },
} satisfies FastifySchema

const RESET_USER_PASSWORD = {
  operationId: 'resetUserPassword',
  summary: 'Reset the password of a user',
  description:
    'The current password, passkeys, recovery codes, the link to an account at the identity provider, and all ' +
    'sessions stop working immediately; access tokens keep working. The response has a one-time token for a new ' +
    'password, shown only once, which is sent by email too if the service is configured to. Nobody can reset their ' +
    'own password.',
  ...ofUser,
  response: { 200: InvitedUser },
  problems: ['user_not_found', 'user_removed', 'break_glass_user', 'own_password'],
} satisfies FastifySchema

/** Routes to manage users, for administrators. Each change is an event and takes effect at once in every process. */
export function users(app: FastifyInstance, db: LedgerDb, services: CompanyServices) {
  app.get('/users', { schema: LIST_USERS }, async (request) => {
    const users = await listUsers(db, actingUser(request).companyId, pageBefore('usr', request.query))
    return pageOf(users, request.query.limit, ({ id }) => id, renderUser)
  })

  app.get('/users/:id', { schema: GET_USER }, async (request) => {
    const id = readUserId(request.params.id)
    return renderUser(requireUser(await findUser(db, actingUser(request).companyId, id)))
  })

  app.post('/users', { schema: INVITE_USER, ...JSON_BODY, preValidation: trimName }, async (request, reply) => {
    const { name, role } = request.body
    const invited = await inviteCompanyUser(services, actingUser(request), {
      email: readEmailField(request.body),
      name,
      role,
    })
    void reply.code(201).header('location', `/admin/v1/users/${invited.user.id}`)
    return showInvitation(reply, invited)
  })

  app.patch('/users/:id', { schema: CHANGE_USER, ...MERGE_PATCH_BODY }, async (request, reply) => {
    const id = readUserId(request.params.id)
    const changed = await changeUserRole(services, actingUser(request), id, request.body.role)
    setPositionHeader(reply, changed.position)
    return renderUser(changed.user)
  })

  app.delete('/users/:id', { schema: REMOVE_USER }, async (request, reply) => {
    const { position } = await removeUser(services, actingUser(request), readUserId(request.params.id))
    return setPositionHeader(reply, position).code(204).send()
  })

  app.post('/users/:id/reset-password', { schema: RESET_USER_PASSWORD, ...JSON_BODY }, async (request, reply) =>
    showInvitation(reply, await resetUserPassword(services, actingUser(request), readUserId(request.params.id))),
  )

  app.post('/users/:id/erase', { schema: ERASE_USER, ...JSON_BODY }, async (request, reply) => {
    const erased = await eraseUser(services, actingUser(request), readUserId(request.params.id))
    setPositionHeader(reply, erased.position)
    return renderUser(erased.user)
  })
}

function showInvitation(reply: FastifyReply, { user, linkToken, linkExpiresAt, isEmailed, position }: UserWithLink) {
  const invitation = { token: linkToken, expires_at: linkExpiresAt, emailed: isEmailed }
  setPositionHeader(reply, position)
  return { ...renderUser(user), invitation }
}

/** Reads the email address by the same rules as an employee's. */
export function readEmailField({ email }: { email: string }): string {
  const { value, errors } = readEmailAddress(email)
  if (!errors) return value
  throw new ProblemError(
    invalidFields(errors.map(({ fault }) => fieldError('/email', codeOf(fault), wordFault(fault)))),
  )
}

const ACCEPT_INVITATION = {
  operationId: 'acceptInvitation',
  summary: 'Set a password with the one-time token of an invitation or reset',
  description: 'The token is the only credential, and can be used once. The user can then sign in.',
  security: [],
  body: AcceptBody,
  response: { 200: ShownUser },
  problems: ['invalid_credentials', 'provider_required'],
} satisfies FastifySchema

/**
 * The route that sets a password with a one-time token. The token is the only credential, so failures count towards the
 * limit of failed authentications.
 */
export function invitations(app: FastifyInstance, services: CompanyServices, failureLimit: number) {
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

const LIST_TOKENS = {
  operationId: 'listTokens',
  summary: 'List your tokens, newest first',
  description: 'Administrators can list those of another user with `user`. The tokens themselves are not shown.',
  querystring: TokenListQuery,
  response: { 200: TokenList },
  problems: ['admin_only', 'user_not_found'],
} satisfies FastifySchema

const ISSUE_TOKEN = {
  operationId: 'issueToken',
  summary: 'Issue a token for yourself',
  description:
    'The token is shown only once. It may do what you may do, unless `scopes` restrict it, as they should for a ' +
    'program. You can have at most 20 tokens. This needs a browser session, and your password again: a token ' +
    'cannot issue tokens. The account page does the same.',
  security: [{ session: [] }],
  body: IssueTokenBody,
  response: { 201: TokenWithSecret },
  problems: ['admin_only', 'session_required', 'reauthentication_required', 'too_many_tokens', 'rate_limited'],
} satisfies FastifySchema

const { schema: ofToken, read: readTokenId } = idIn('token', 'tok', NO_SUCH_TOKEN)

const REVOKE_TOKEN = {
  ...ofToken,
  ...describeAction(TOKEN_ACTIONS.revoke),
  response: { 204: NO_CONTENT },
} satisfies FastifySchema

/** Routes for tokens of the admin and audit endpoints. Users manage their own; administrators may manage all. */
export function userTokens(app: FastifyInstance, services: ProofServices & { db: LedgerDb; company: CompanyServices }) {
  const { db, company } = services
  app.get('/tokens', { schema: LIST_TOKENS }, async (request) => {
    const userId = await findTokenOwner(db, userOf(request), request.query.user)
    const tokens = await listUserTokens(db, userOf(request).companyId, {
      userId,
      ...pageBefore('tok', request.query),
    })
    return pageOf(tokens, request.query.limit, ({ token }) => token.id, renderToken)
  })

  app.post(
    '/tokens',
    {
      schema: ISSUE_TOKEN,
      ...JSON_BODY,
      onRequest: requireSession('A token cannot issue tokens. Sign in, and create it on your account page'),
      preValidation: trimName,
    },
    async (request, reply) => {
      const { name, expires_in_days: expiresInDays, scope, current_password: password = '' } = request.body
      const { scopes = scope === undefined ? null : [scope] } = request.body
      const acting = actingUser(request)
      const proof = await checkProof(services, reply, userOf(request), password)
      if (proof !== 'proved') throw new ProblemError(UNPROVEN[proof])
      const newToken = { userId: acting.actor, name, expiresInDays, scopes }
      const { token, secret, position } = await issueUserToken(company, acting, newToken)
      setPositionHeader(reply.code(201), position)
      return { ...renderToken({ token, now: token.createdAt }), token: secret }
    },
  )

  app.delete('/tokens/:id', { schema: REVOKE_TOKEN }, async (request, reply) => {
    const position = await revokeUserToken(company, actingUser(request), readTokenId(request.params.id))
    return setPositionHeader(reply, position).code(204).send()
  })
}

const explain = (detail: string) => problem('reauthentication_required', detail)
const UNPROVEN: Record<Exclude<Proof, 'proved'>, Problem> = {
  'wrong password': explain('This needs your current password, as current_password. Nothing was issued'),
  'old session': explain(`This needs a session that began in the last ${RECENT_MINUTES} minutes. Sign in again`),
}

/** Finds the user whose tokens to list: yourself, or any user of the company for an administrator. */
async function findTokenOwner(db: LedgerDb, { companyId, userId, role }: SignedInUser, requestedId = userId) {
  if (requestedId === userId) return userId
  if (role !== 'admin') throw new ProblemError(ADMIN_ONLY)
  const user = isId('usr', requestedId) ? await findUser(db, companyId, requestedId) : null
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user.id
}
