import { hash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { sql } from 'kysely'
import { toUuid } from '#domain/ids'
import type { LogoutNotice } from '../oidc/provider-client.ts'
import { OLDEST_TOKEN_S, TOLERANCE_S } from '../oidc/verify-token.ts'
import { inTransaction } from '#postgres/pipeline'
import type { StoredProvider } from '../providers/providers.ts'
import { endSessions } from '../session-events.ts'
import { deleteInPieces } from '#postgres/delete-in-pieces'

/** How many logout tokens of a company are remembered. Further ones end sessions, and could do so again. */
const MAX_TOKENS = 10_000

/**
 * Ends the sessions that a provider says have ended there. Sessions that began later stay, and a token that comes again
 * ends none. Returns their number.
 */
export function endSessionsOfNotice(
  pool: Pool,
  { id, companyId, settings: { issuer } }: StoredProvider,
  { tokenId, subject, providerSession, issuedAt }: LogoutNotice,
): Promise<number> {
  // The clock of the provider may be behind.
  const isNamed = providerSession === null ? sql`` : sql`and provider_session = ${providerSession}`
  const isOfSubject = subject === null ? sql`` : sql`and u.subject = ${subject}`
  const condition = sql`method = 'provider' ${isNamed}
    and created_at < ${issuedAt}::timestamptz + make_interval(secs => ${TOLERANCE_S})
    and exists (select from users u where u.company_id = ${toUuid(companyId)} and u.user_id = sessions.user_id
      and u.issuer = ${issuer} ${isOfSubject})`
  return inTransaction(pool, async (client) => {
    const tokenHash = hash('sha256', `${issuer}\n${tokenId}`, 'buffer')
    if (!(await rememberToken(client, companyId, tokenHash))) return 0
    return endSessions(client, { companyId, actor: id }, 'ended_at_provider', condition)
  })
}

/** Remembers a logout token for as long as it is accepted. Returns false if it was remembered before. */
async function rememberToken(client: PoolClient, companyId: string, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from (
       select from logout_tokens where company_id = $1 limit ${MAX_TOKENS}) remembered`,
    [toUuid(companyId)],
  )
  if (rows[0]!.count === MAX_TOKENS) return true
  const { rowCount } = await client.query(
    `insert into logout_tokens (company_id, token_hash, expires_at)
     values ($1, $2, statement_timestamp() + make_interval(secs => ${OLDEST_TOKEN_S + 2 * TOLERANCE_S}))
     on conflict do nothing`,
    [toUuid(companyId), tokenHash],
  )
  return rowCount === 1
}

/** Forgets the logout tokens that are too old to be accepted, by the database's clock. Returns how many. */
export function expireLogoutTokens(pool: Pool): Promise<number> {
  return deleteInPieces(pool, 'logout_tokens', ['company_id', 'token_hash'], sql`expires_at <= statement_timestamp()`)
}
