import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LinkableUser, MatchingUsers, ReturningPerson } from '../../domain/providers/decide-sign-in.ts'
import type { Row } from '../../ledger/tables.ts'

type MatchingRow = Row<'users', 'user_id' | 'email' | 'issuer' | 'subject'> & { is_removed: boolean }

/** Loads the users whom a person of the provider may be, under the lock of the company's head. */
export async function loadMatchingUsers(
  client: ClientBase,
  companyId: string,
  { issuer, subject, email }: ReturningPerson,
): Promise<MatchingUsers> {
  // At most two users who are not removed match: one by the account, and one by the email.
  const { rows } = await client.query<MatchingRow>(
    `select user_id, email, issuer, subject, removed_at is not null as is_removed from users
     where company_id = $1 and ((issuer = $2 and subject = $3) or email = $4)
     order by removed_at is not null limit 3`,
    [toUuid(companyId), issuer, subject, email],
  )
  const active = rows.filter((row) => !row.is_removed)
  return {
    byAccount: toLinkable(active.find((row) => row.issuer === issuer && row.subject === subject)),
    byEmail: toLinkable(active.find((row) => row.email === email)),
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
