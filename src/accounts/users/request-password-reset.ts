import type { Pool, PoolClient } from 'pg'
import type { Client } from '../../domain/client.ts'
import { prefixOfSecret } from '../../domain/accounts/secrets.ts'
import { toUuid } from '../../domain/ids.ts'
import { describeForgottenPassword } from '../mail/account-emails.ts'
import { enqueueEmail, type Outbox } from '../mail/outbox.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { inCompany } from '../../postgres/company-scope.ts'
import { buildLinkUrl, loadEmailContext } from './email-user.ts'
import { generateSecret, hashSecret } from './new-secret.ts'
import { readPasswordUsers, type PasswordScope, type PasswordUser } from './password-users.ts'
import { mayResetPassword } from './sign-in-conditions.ts'

/** The lifetime of a link that a user has asked for, in minutes. */
export const RESET_LIFE_MINUTES = 30

/**
 * Sends a link to set a new password to each user in the scope who has a password. The password works until the link is
 * used; a further link replaces it. Companies that require their identity provider are left out. Throws the first error
 * after all links were tried.
 */
export async function requestPasswordReset(
  { pool, outbox }: { pool: Pool; outbox: Outbox },
  scope: PasswordScope,
  sender: Client,
): Promise<void> {
  const failures: unknown[] = []
  for await (const users of readPasswordUsers(pool, scope)) {
    for (const user of users) {
      const { companyId } = user
      const send = () => inTransaction(pool, (client) => sendResetLink(client, outbox, user, sender))
      await inCompany(companyId, send).catch((error: unknown) => failures.push(error))
      outbox.announce([companyId])
    }
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Stores and sends a link. Appends no event: whoever knows an address could fill the ledger. Locks the row of the user
 * instead of the company's head, so that two requests at once cannot exceed the limit of messages.
 */
async function sendResetLink(
  client: PoolClient,
  outbox: Outbox,
  { companyId, userId, hasPasskeys }: PasswordUser,
  sender: Client,
): Promise<void> {
  const ids = [toUuid(companyId), toUuid(userId)]
  const { rows } = await client.query<{ expires_at: string }>(
    `select (clock_timestamp() + interval '${RESET_LIFE_MINUTES} minutes')::timestamptz(3) as expires_at from users u
     where u.company_id = $1 and u.user_id = $2 and u.removed_at is null and ${mayResetPassword('$1')} for update`,
    ids,
  )
  const [row] = rows
  if (!row) return
  const expiresAt = row.expires_at
  const token = generateSecret(prefixOfSecret('link', companyId))
  const context = await loadEmailContext(client, { companyId, actor: userId, client: sender })
  const link = { url: buildLinkUrl(outbox.publicUrl, token), expiresAt }
  const content = describeForgottenPassword(context, link, { hasPasskeys })
  // Without a message, an earlier link keeps working.
  if (!(await enqueueEmail(client, outbox, { companyId, userId, kind: 'password_reset', expiresAt, ...content })))
    return
  await client.query('update users set reset_hash = $3, reset_expires_at = $4 where company_id = $1 and user_id = $2', [
    ...ids,
    hashSecret(token),
    expiresAt,
  ])
}
