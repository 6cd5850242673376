import type { FastifyInstance, FastifySchema } from 'fastify'
import { ADMIN_ONLY, type Problem, problem } from '#domain/errors'
import type { CompanyServices } from '#accounts/change-company'
import { NO_SUCH_USER } from '#accounts/users/change-user'
import { issueUserToken, NO_SUCH_TOKEN, revokeUserToken } from '#accounts/users/user-tokens'
import { isId } from '#domain/ids'
import { listUserTokens } from '#accounts/users/read-user-tokens'
import type { LedgerDb } from '#ledger/tables'
import { type Proof, RECENT_MINUTES } from '#accounts/passkeys/prove-again'
import { findUser, type SignedInUser } from '#accounts/users/users'
import { requireSession, userOf } from '#http/access/authorize-user'
import { checkProof, type ProofServices } from '#http/access/check-proof'
import { pageBefore, pageOf } from '#http/server/query-values'
import { ProblemError } from '#http/server/problem'
import { describeAction } from '#http/openapi/actions'
import { actingUser, JSON_BODY, setPositionHeader, trimName } from './company-schemas.ts'
import { idIn, NO_CONTENT } from '#http/openapi/schema-parts'
import { TOKEN_ACTIONS } from './user-actions.ts'
import { IssueTokenBody, renderToken, TokenList, TokenListQuery, TokenWithSecret } from './user-schemas.ts'

const LIST_TOKENS = {
  operationId: 'listTokens',
  summary: 'List your tokens, newest first',
  description: 'Administrators can list those of another user with `user`. The tokens themselves are not shown.',
  querystring: TokenListQuery,
  response: { 200: TokenList },
  problems: ['admin_only', 'user_not_found'],
} as const satisfies FastifySchema

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
} as const satisfies FastifySchema

const { schema: ofToken, read: readTokenId } = idIn('token', 'tok', NO_SUCH_TOKEN)

const REVOKE_TOKEN = {
  ...ofToken,
  ...describeAction(TOKEN_ACTIONS.revoke),
  response: { 204: NO_CONTENT },
} as const satisfies FastifySchema

/** Routes for tokens of the admin and audit endpoints. Users manage their own; administrators may manage all. */
export function userTokens(
  app: FastifyInstance,
  services: ProofServices & { db: LedgerDb; company: CompanyServices },
): void {
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
async function findTokenOwner(
  db: LedgerDb,
  { companyId, userId, role }: SignedInUser,
  requestedId = userId,
): Promise<string> {
  if (requestedId === userId) return userId
  if (role !== 'admin') throw new ProblemError(ADMIN_ONLY)
  const user = isId('usr', requestedId) ? await findUser(db, companyId, requestedId) : null
  if (!user) throw new ProblemError(NO_SUCH_USER)
  return user.id
}
