import { isId, toUuid } from '#domain/ids'
import {
  type AccountChange,
  type EmailContext,
  describeAccountChange,
  describeInvitation,
  describeReset,
} from '../mail/account-emails.ts'
import { enqueueEmail } from '../mail/outbox.ts'
import type { Acting, Transaction } from '../change-company.ts'
import type { Queryable } from '#postgres/pool'
import type { Row } from '#ledger/tables'

/** A new one-time link of a user. */
interface NewLink {
  userId: string
  kind: 'invitation' | 'password_reset'
  token: string
  /** RFC 3339 UTC. */
  expiresAt: string
}

/**
 * Writes the message with the link of an invitation or of an administrator's reset, in the transaction that stores the
 * link. Returns whether there will be one: not where the service sends no email, nor beyond the limits of the outbox.
 */
export async function emailLink(tx: Transaction, { userId, kind, token, expiresAt }: NewLink) {
  const { connection, companyId, outbox } = tx
  if (!outbox) return false
  const context = await loadEmailContext(connection, tx)
  const describe = kind === 'invitation' ? describeInvitation : describeReset
  const content = describe(context, { url: buildLinkUrl(outbox.publicUrl, token), expiresAt })
  return enqueueEmail(connection, outbox, { companyId, userId, kind, expiresAt, ...content })
}

/** The path of the page that a one-time link leads to. */
export const INVITATION_PATH = '/invitation'

/** The one-time link of a token. `publicUrl` is the address of the service. */
export function buildLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}${INVITATION_PATH}?token=${token}`
}

/** Tells a user about a change of the account, in the transaction that makes it. */
export async function notifyUser(tx: Transaction, userId: string, change: AccountChange) {
  const { connection, companyId, now, outbox } = tx
  if (!outbox) return
  const context = await loadEmailContext(connection, tx)
  const content = describeAccountChange(context, change, { at: now, publicUrl: outbox.publicUrl })
  await enqueueEmail(connection, outbox, { companyId, userId, kind: change.kind, ...content })
}

/** Loads what messages say about the company and about who acts. */
export async function loadEmailContext(
  client: Queryable,
  { companyId, actor, client: sender }: Acting,
): Promise<EmailContext> {
  const { rows } = await client.query<Row<'companies', 'name' | 'time_zone'> & { actor_name: string | null }>(
    `select name, time_zone, (select u.name from users u where u.company_id = $1 and u.user_id = $2) as actor_name
     from companies where company_id = $1`,
    [toUuid(companyId), isId('usr', actor) ? toUuid(actor) : null],
  )
  const { name: companyName, time_zone: timeZone, actor_name: actorName } = rows[0]!
  return { companyName, timeZone, actorName, address: sender?.address ?? null }
}
