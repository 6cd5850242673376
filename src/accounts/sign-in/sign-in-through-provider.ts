import type { Pool, ClientBase, PoolClient } from 'pg'
import { listStoredAddresses } from '#domain/attributes'
import type { Role } from '#domain/accounts/roles'
import type { NewEvent } from '#domain/events'
import {
  decideSignIn,
  type SignInRefusal,
  type LinkableUser,
  type MatchingUsers,
  type ReturningPerson,
  decideRole,
  findRoleOfClaims,
  decideLink,
} from '#domain/providers/decide-sign-in'
import { ProviderError, type ProviderIdentity, type LogoutNotice } from '#accounts/oidc/provider-client'
import type { CompanyChange } from '#ledger/append/append-company-events'
import type { SecretBox } from '#accounts/secrets/secret-box'
import { readProvider, type StoredProvider } from '#accounts/providers/providers'
import {
  changeCompany,
  type CompanyServices,
  type Transaction,
  RefusedByStateError,
  type Acting,
} from '#accounts/change-company'
import { changeUserRow, NO_SUCH_USER, type ChangedUser, buildUser } from '#accounts/users/change-user'
import { type NewSession, beginSession } from '#accounts/users/sessions'
import { insertUser, loadUserFacts, storeIdentity, findUserOfLink } from '#accounts/users/user-rows'
import { findUser, hasPasskey, requiresProvider } from '#accounts/users/users'
import { isStorableText } from '#domain/storable-text'
import { trimBlanks } from '#text/normalize-text'
import { withClient } from '#postgres/pool'
import { onClient } from '#postgres/kysely'
import { fromUuid, toUuid } from '#domain/ids'
import type { Row } from '#ledger/tables'
import { sql } from 'kysely'
import { problem, RefusedCredentialsError } from '#domain/errors'
import { endSessions } from '#accounts/session-events'
import { hash } from 'node:crypto'
import { OLDEST_TOKEN_S, TOLERANCE_S } from '#accounts/oidc/verify-token'
import { inTransaction } from '#postgres/pipeline'
import { deleteInPieces } from '#postgres/delete-in-pieces'

/** What signing in through a provider uses. */
interface ProviderSignInServices {
  company: CompanyServices
  /** The connections for sessions. */
  pool: Pool
  secrets: SecretBox
}

/** A person who came back from the company's provider. */
interface Return {
  provider: StoredProvider
  identity: ProviderIdentity
  session: NewSession
  /** W3C `traceparent` of the request; null if the trace is not sampled. */
  traceparent: string | null
}

type ProviderSignIn =
  | { outcome: 'signed in'; cookie: string; userId: string }
  | { outcome: 'refused'; refusal: SignInRefusal }

type Recognized = { userId: string } | { refusal: SignInRefusal }

const MAX_ID_TOKEN = 8_192
const MAX_NAME = 120

/** Names the row of a session whose ID token is sealed. */
export function placeOfIdToken(userId: string): string {
  return `ID token of ${userId}`
}

/**
 * Signs a person of the company's provider in: as the user who is linked to the account, or else by a verified email, or
 * else as a new user. Gives the role of the claims. All of it happens under the company's lock, so that two tabs make one
 * user and one link. The provider is the actor of the events. Throws ProviderError if its settings have changed since the
 * person left for it.
 */
export async function signInThroughProvider(
  { company, pool, secrets }: ProviderSignInServices,
  { provider, identity, session, traceparent }: Return,
): Promise<ProviderSignIn> {
  const { companyId, id: actor } = provider
  const acting = { companyId, actor, traceparent }
  const recognition = { company, provider, identity }
  const recognized = await changeCompany<Recognized>(company, acting, 'no role', (tx) => recognize(tx, recognition))
  if ('refusal' in recognized) return { outcome: 'refused', refusal: recognized.refusal }
  const { userId } = recognized
  const { issuer, subject, providerSession, idToken } = identity
  const sealed = idToken.length > MAX_ID_TOKEN ? null : secrets.encrypt(idToken, placeOfIdToken(userId))
  const proof = { method: 'provider', issuer, subject, providerSession, idToken: sealed } as const
  const cookie = await beginSession(pool, { companyId, userId }, proof, session)
  // The user was unlinked or removed after the lock was released.
  if (cookie === null) throw makeOutdatedError()
  return { outcome: 'signed in', cookie, userId }
}

/** Throws ProviderError if the provider is not the one that someone signed in at any more. */
async function assertUnchanged({ connection }: Transaction, provider: StoredProvider) {
  const { companyId, id, version } = provider
  const current = await readProvider(connection, companyId)
  if (current?.id !== id || current.version !== version) throw makeOutdatedError()
}

function makeOutdatedError() {
  return new ProviderError('outdated', 'The settings of the identity provider, or the user, were changed meanwhile')
}

interface Recognition {
  company: CompanyServices
  provider: StoredProvider
  identity: ProviderIdentity
}

async function recognize(
  tx: Transaction,
  { company, provider, identity }: Recognition,
): Promise<CompanyChange<Recognized>> {
  await assertUnchanged(tx, provider)
  const { settings, use } = provider
  const account = { issuer: identity.issuer, subject: identity.subject }
  const matching = await loadMatchingUsers(tx.connection, tx.companyId, identity)
  const decision = decideSignIn(identity, matching, { ...settings, ...use })
  const ofClaims = findRoleOfClaims(settings, identity.roleValues)
  switch (decision.outcome) {
    case 'refuse':
      return { events: [], result: { refusal: decision.refusal } }
    case 'create': {
      const { email } = decision
      const person = {
        id: company.newId('usr'),
        email,
        name: readName(identity.name) ?? email,
        role: ofClaims ?? 'member',
      }
      const { user, events } = buildUser(person, [{ change: 'link', identity: account }])
      await insertUser(tx, user, { passwordHash: null, link: null })
      await storeIdentity(tx, user.id, account)
      return { events, result: { userId: user.id } }
    }
    case 'link': {
      const { userId } = decision
      const linked = await changeUserRow(tx, userId, { change: 'link', identity: account })
      await storeIdentity(tx, userId, account)
      return { events: [...linked.events, ...(await giveRole(tx, userId, ofClaims))], result: { userId } }
    }
    case 'sign_in': {
      const { userId } = decision
      return { events: await giveRole(tx, userId, ofClaims), result: { userId } }
    }
  }
}

async function giveRole(tx: Transaction, userId: string, ofClaims: Role | null): Promise<NewEvent[]> {
  const user = (await findUser(tx.db, tx.companyId, userId))!
  const role = decideRole(user.role, ofClaims, await loadUserFacts(tx.connection, tx.companyId, userId))
  return (await changeUserRow(tx, userId, { change: 'role', role })).events
}

/** The name as users have it; null if there is none that can be stored. */
function readName(sent: string | null) {
  const name = [...trimBlanks(sent ?? '')].slice(0, MAX_NAME).join('')
  return name === '' || !isStorableText(name) ? null : name
}

/** What signing in would do. `role` is the user's role afterwards. */
export type SignInPreview =
  | { outcome: 'linked' | 'matched'; user: { id: string; name: string; email: string; role: Role }; role: Role }
  | { outcome: 'created'; email: string; role: Role }
  | { outcome: 'refused'; refusal: SignInRefusal }

/** Says what signing in would do if the provider were in use. Changes nothing. */
export async function previewSignIn(
  { pool }: Pick<CompanyServices, 'pool'>,
  { companyId, settings }: StoredProvider,
  identity: ProviderIdentity,
): Promise<SignInPreview> {
  return withClient(pool, async (client) => {
    const matching = await loadMatchingUsers(client, companyId, identity)
    const decision = decideSignIn(identity, matching, { ...settings, use: 'optional' })
    const ofClaims = findRoleOfClaims(settings, identity.roleValues)
    if (decision.outcome === 'refuse') return { outcome: 'refused', refusal: decision.refusal }
    if (decision.outcome === 'create') return { outcome: 'created', email: decision.email, role: ofClaims ?? 'member' }
    const user = (await findUser(onClient(client), companyId, decision.userId))!
    const role = decideRole(user.role, ofClaims, await loadUserFacts(client, companyId, user.id))
    return { outcome: decision.outcome === 'link' ? 'matched' : 'linked', user, role }
  })
}

type MatchingRow = Row<'users', 'user_id' | 'email' | 'issuer' | 'subject'> & { is_removed: boolean }

/** Loads the users whom a person of the provider may be, under the lock of the company's head. */
async function loadMatchingUsers(
  client: ClientBase,
  companyId: string,
  { issuer, subject, email }: ReturningPerson,
): Promise<MatchingUsers> {
  // At most two users who are not removed match: one by the account, and one by the email.
  const emails = email === null ? [] : listStoredAddresses(email)
  const { rows } = await client.query<MatchingRow>(
    `select user_id, email, issuer, subject, removed_at is not null as is_removed from users
     where company_id = $1 and ((issuer = $2 and subject = $3) or email = any($4))
     order by removed_at is not null limit 3`,
    [toUuid(companyId), issuer, subject, emails],
  )
  const active = rows.filter((row) => !row.is_removed)
  return {
    byAccount: toLinkable(active.find((row) => row.issuer === issuer && row.subject === subject)),
    byEmail: toLinkable(active.find((row) => emails.includes(row.email))),
    wasRemoved: rows.length > active.length,
  }
}

function toLinkable(row: MatchingRow | undefined): LinkableUser | null {
  if (!row) return null
  const { issuer, subject } = row
  return {
    id: fromUuid('usr', row.user_id),
    identity: issuer === null || subject === null ? null : { issuer, subject },
  }
}

/** What the same person has proved: the account, and to be the user, by a session or by a one-time link. */
interface ProvenAccount {
  provider: StoredProvider
  identity: ProviderIdentity
  /** The SHA-256 of the one-time link's token, which is used up; null for a session. */
  linkHash: Buffer | null
}

/** Why somebody was not linked; null if nothing was wrong. */
interface Linking {
  refusal: SignInRefusal | null
}

/**
 * Links the actor to an account at the company's provider, which the same person has proved; no email is needed. Returns
 * why not, or null. Throws ProviderError like `signInThroughProvider`.
 */
export async function linkOwnIdentity(
  services: CompanyServices,
  acting: Acting,
  { provider, identity, linkHash }: ProvenAccount,
): Promise<SignInRefusal | null> {
  const { companyId, actor: userId } = acting
  const account = { issuer: identity.issuer, subject: identity.subject }
  try {
    const linked = await changeCompany<Linking>(services, acting, 'any role', async (tx) => {
      const { connection } = tx
      await assertUnchanged(tx, provider)
      const user = (await findUser(tx.db, companyId, userId))!
      const { byAccount } = await loadMatchingUsers(connection, companyId, { ...identity, email: null })
      const isProven = linkHash === null || (await findUserOfLink(connection, companyId, linkHash))?.userId === userId
      const decision = decideLink(account, user, { byAccount, use: provider.use.use, isProven })
      if (decision.outcome === 'refuse') return { events: [], result: { refusal: decision.refusal } }
      const { events } = await changeUserRow(tx, userId, { change: 'link', identity: account })
      if (events.length > 0) await storeIdentity(tx, userId, account)
      return { events, result: { refusal: null } }
    })
    return linked.refusal
  } catch (error) {
    if (error instanceof RefusedCredentialsError) return 'user_removed'
    throw error
  }
}

const ONLY_WAY_IN = problem('only_way_in', 'Without this account you could not sign in; set a password first')

/**
 * Unlinks a user from the account at the identity provider. The sessions that began there end. Users unlink themselves
 * only if they can still sign in; an administrator unlinks anyone. Throws RefusedByStateError.
 */
export async function unlinkIdentity(
  services: CompanyServices,
  acting: Acting,
  userId: string,
  seen?: number,
): Promise<ChangedUser> {
  const isOwn = acting.actor === userId
  return changeCompany(services, acting, isOwn ? 'any role' : 'admin', async (tx) => {
    const user = await findUser(tx.db, tx.companyId, userId)
    if (!user) throw new RefusedByStateError(NO_SUCH_USER)
    if (isOwn && user.identity !== null && !(await hasOtherWayIn(tx))) throw new RefusedByStateError(ONLY_WAY_IN)
    const { events, user: unlinked } = await changeUserRow(tx, userId, { change: 'unlink' }, seen)
    if (events.length > 0) {
      await storeIdentity(tx, userId, null)
      const condition = sql`user_id = ${toUuid(userId)} and method = 'provider'`
      await endSessions(tx.connection, tx, 'identity_unlinked', condition)
    }
    return { events, result: { user: unlinked } }
  })
}

/** Whether the actor can sign in without an account at the provider. */
async function hasOtherWayIn({ connection, companyId, actor }: Transaction) {
  const { rowCount } = await connection.query(
    `select 1 from users u where u.company_id = $1 and u.user_id = $2
       and (u.password_hash is not null or ${hasPasskey('$1', '$2')}) and not ${requiresProvider('$1', '$2')}`,
    [toUuid(companyId), toUuid(actor)],
  )
  return (rowCount ?? 0) > 0
}

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
async function rememberToken(client: PoolClient, companyId: string, tokenHash: Buffer) {
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
