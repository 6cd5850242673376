import type { Pool, PoolClient } from 'pg'
import type { Role } from '../../domain/company.ts'
import type { Problem } from '../../domain/errors.ts'
import { problem } from '../../domain/errors.ts'
import type { IdPrefix } from '../../domain/ids.ts'
import type { Decided } from '../../domain/accounts/key-lifecycle.ts'
import type { AppendedChange, CompanyChange } from '../../ledger/append/append-company-events.ts'
import { appendCompanyEvents, OPERATOR, RefusedChangeError } from '../../ledger/append/append-company-events.ts'
import { loadUser } from './user-rows.ts'
import { RefusedCredentialsError } from '../refused-credentials-error.ts'

/** What the commands about a company work with. */
export interface CompanyServices {
  pool: Pool
  newId(prefix: IdPrefix): string
  /** Told of companies that have new events. */
  onCommitted?(companyIds: string[]): void
  /** Told of each person that was forgotten. */
  onErased?(of: 'employee' | 'user'): void
}

/** Who changes which company: the id of one of its users, or `OPERATOR` for the command line. */
export interface Acting {
  companyId: string
  actor: string
  /** W3C `traceparent` of the request; nothing when nobody collects its trace. */
  traceparent?: string | null
}

/** A change that the company's state does not allow, or that names what the company does not have. */
export class RefusedByStateError extends RefusedChangeError {
  override name = 'RefusedByStateError'
  readonly problem: Problem

  constructor(refusal: Problem) {
    super(refusal.detail)
    this.problem = refusal
  }
}

/** Gives back what was decided, or throws RefusedByStateError. */
export function decided<Event>(decision: Decided<Event>): Event[] {
  if (decision.problem) throw new RefusedByStateError(decision.problem)
  return decision.events
}

/**
 * Refuses what was asked for on a form that shows something as it no longer is, by its version: so a form that is sent
 * twice acts once. Without a version nothing was shown. Throws RefusedByStateError with `precondition_failed`.
 */
export function assertSeen(seen: number | undefined, version: number): void {
  if (seen !== undefined && seen !== version) throw new RefusedByStateError(CHANGED_MEANWHILE)
}

export const CHANGED_MEANWHILE = problem(
  'precondition_failed',
  'This was already submitted, or changed elsewhere; nothing was done',
)

/**
 * Runs a change under the lock of the company's head. Whoever acts is looked at once more there: a user who was removed
 * or is no administrator any more, since the request came in, changes nothing.
 * Throws RefusedByStateError, or RefusedCredentialsError when the user is gone.
 */
export async function changeCompany<Result>(
  { pool, onCommitted }: CompanyServices,
  acting: Acting,
  needs: 'admin' | 'any role',
  change: (client: PoolClient, now: string) => Promise<CompanyChange<Result>>,
): Promise<AppendedChange<Result>> {
  const appended = await appendCompanyEvents(pool, acting, async (client, now) => {
    await assertMayAct(client, acting, needs)
    return change(client, now)
  })
  if (appended.position !== null) onCommitted?.([acting.companyId])
  return appended
}

async function assertMayAct(client: PoolClient, acting: Acting, needs: 'admin' | 'any role'): Promise<void> {
  const role = await roleOf(client, acting)
  if (role === null) throw new RefusedCredentialsError('the user was removed meanwhile')
  if (needs === 'admin' && role !== 'admin') throw new RefusedByStateError(ADMIN_ONLY)
}

/** Whether who acts is an administrator, under the lock of the company's head. */
export async function isAdministrator(client: PoolClient, acting: Acting): Promise<boolean> {
  return (await roleOf(client, acting)) === 'admin'
}

/** The command line may do what an administrator may. */
async function roleOf(client: PoolClient, { companyId, actor }: Acting): Promise<Role | null> {
  if (actor === OPERATOR) return 'admin'
  const user = await loadUser(client, companyId, actor)
  return user && !user.isRemoved ? user.role : null
}

/** What anybody else is answered who asks for what administrators alone may do. */
export const ADMIN_ONLY = problem('admin_only', 'Only company administrators can do this')
