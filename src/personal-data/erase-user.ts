import type { PoolClient } from 'pg'
import { changeCompany, type Acting, type CompanyServices } from '#accounts/change-company'
import { changeUserRow, type ChangedUser } from '#accounts/users/change-user'
import type { UserRef } from '#accounts/users/users'
import { filterWithData } from '#ledger/erasure/erase-events'
import { isErasedWithUser, USER_EVENTS, USER_ROWS } from './user-places.ts'

/**
 * Erases the email, the name, the account at an identity provider, the names of tokens, passkeys and uploaded files, and
 * the addresses of a removed user, in the ledger and in the rows. The user's id, its actions and its roles stay. Does
 * nothing if the user is already erased. Throws RefusedByStateError with `user_not_found` or `user_not_removed`.
 */
export async function eraseUser(services: CompanyServices, acting: Acting, userId: string): Promise<ChangedUser> {
  const user = { companyId: acting.companyId, userId }
  const erased = await changeCompany(services, acting, 'admin', async (tx) => {
    const positions = await findPersonalPositions(tx.connection, user)
    const { events, user: result } = await changeUserRow(tx, userId, { change: 'erase', positions })
    if (events.length > 0) for (const place of Object.values(USER_ROWS)) await place.erase(tx.connection, user)
    return { events, result: { user: result } }
  })
  if (erased.position !== null) services.onErased?.('user')
  return erased
}

/** The positions of the events that hold personal data of the user. */
async function findPersonalPositions(client: PoolClient, user: UserRef) {
  const positions: number[] = []
  for (const read of Object.values(USER_EVENTS)) {
    for await (const page of read(client, user, 0))
      for (const event of page) if (isErasedWithUser(event)) positions.push(event.position)
  }
  return filterWithData(client, user.companyId, positions)
}
