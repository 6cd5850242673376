import type { Pool, PoolClient } from 'pg'
import { ADMIN_ONLY, problem, type Problem, RefusedCredentialsError } from '#domain/errors'
import { toUuid, type IdPrefix } from '#domain/ids'
import type { Decided } from '#domain/accounts/key-lifecycle'
import type { Outbox } from './mail/outbox.ts'
import type { Client } from '#domain/call-sources'
import {
  type CompanyChange,
  appendCompanyEvents,
  OPERATOR,
  RefusedChangeError,
} from '#ledger/append/append-company-events'
import { recordSessionEvents } from './record-session-events.ts'
import type { LedgerDb, LedgerTables, Row } from '#ledger/tables'
import { onClient } from '#postgres/kysely'

/** The services that change a company. */
export interface CompanyServices {
  pool: Pool
  newId(prefix: IdPrefix): string
  /** Called with companies that have new events. */
  onCommitted?(companyIds: string[]): void
  /** Where messages to users go; absent where the service sends no email. */
  outbox?: Outbox | undefined
  /** Called for each erased person. */
  onErased?(of: 'employee' | 'user'): void
}

/** The company to change and the actor: a user id, or `OPERATOR` for the command line. */
export interface Acting {
  companyId: string
  actor: string
  /** W3C `traceparent` of the request; absent if the trace is not sampled. */
  traceparent?: string | null
  /** From where the request was sent; absent on the command line. */
  client?: Client
}

/** The transaction of a change, which holds the lock of the company's head. */
export interface Transaction extends Acting {
  connection: PoolClient
  /** A query builder on the connection. */
  db: LedgerDb
  /** When the change is made, RFC 3339 UTC. */
  now: string
  outbox: Outbox | undefined
}

/** The company's state does not allow the change, or its subject does not exist. */
export class RefusedByStateError extends RefusedChangeError {
  override name = 'RefusedByStateError'
  readonly problem: Problem

  constructor(refusal: Problem) {
    // One line, for the command line: what is wrong with a field says more than that something is.
    super(refusal.errors[0]?.message ?? refusal.detail)
    this.problem = refusal
  }
}

/** Returns the decided events, or throws RefusedByStateError. */
export function unwrapDecision<Event>(decision: Decided<Event>) {
  if (decision.problem) throw new RefusedByStateError(decision.problem)
  return decision.events
}

/**
 * Refuses a form that shows an outdated version, so that a form submitted twice acts once. Without `seen`, checks
 * nothing. Throws RefusedByStateError with `precondition_failed` and a text that says what happened.
 */
export function assertSeen(seen: number | undefined, version: number, whatHappened: string) {
  if (seen !== undefined && seen !== version) throw refuseOutdated(whatHappened)
}

/** Makes the error of a form that was filled in for a state that has passed. */
export function refuseOutdated(whatHappened: string) {
  return new RefusedByStateError(problem('precondition_failed', whatHappened))
}

/** What the actor of a change must be: a user, or for `no role`, a provider or the program itself. */
type NeededRole = 'admin' | 'any role' | 'no role'

/**
 * Runs a change under the lock of the company's head. Checks the actor again there, in case the user was removed or
 * lost the admin role after the request arrived. Throws RefusedByStateError, or RefusedCredentialsError if the user was
 * removed. Returns the result of the change with the position of its last event, which is null if it appended none.
 */
export async function changeCompany<Result extends object>(
  services: Pick<CompanyServices, 'pool' | 'onCommitted' | 'outbox'>,
  acting: Acting,
  needs: NeededRole,
  change: (tx: Transaction) => Promise<CompanyChange<Result>>,
): Promise<Result & { position: number | null }> {
  const { pool, onCommitted, outbox } = services
  const { result, position } = await appendCompanyEvents(pool, acting, async (connection, now) => {
    const tx = { ...acting, connection, db: onClient<LedgerTables>(connection), now, outbox }
    if (needs !== 'no role') await assertMayAct(tx, needs)
    return change(tx)
  })
  if (position !== null) {
    onCommitted?.([acting.companyId])
    outbox?.announce([acting.companyId])
    // The change may have ended sessions.
    await recordSessionEvents(services, acting.companyId)
  }
  return { ...result, position }
}

async function assertMayAct(tx: Transaction, needs: Exclude<NeededRole, 'no role'>) {
  const role = await loadRole(tx)
  if (role === null) throw new RefusedCredentialsError('the user was removed meanwhile')
  if (needs === 'admin' && role !== 'admin') throw new RefusedByStateError(ADMIN_ONLY)
}

/** Whether the actor is an administrator. */
export async function isAdministrator(tx: Transaction) {
  return (await loadRole(tx)) === 'admin'
}

/** The command line may do what an administrator may. */
async function loadRole({ connection, companyId, actor }: Transaction) {
  if (actor === OPERATOR) return 'admin'
  const { rows } = await connection.query<Row<'users', 'role'>>(
    'select role from users where company_id = $1 and user_id = $2 and removed_at is null',
    [toUuid(companyId), toUuid(actor)],
  )
  return rows[0]?.role ?? null
}

const NO_KEY = problem('secrets_key_missing', 'The operator has not configured a key that protects secrets')

/** Throws RefusedByStateError if there is no key under which a secret could be stored. */
export function assertHasKey({ hasKey }: { hasKey: boolean }) {
  if (!hasKey) throw new RefusedByStateError(NO_KEY)
}
