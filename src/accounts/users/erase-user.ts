import type { PoolClient } from 'pg'
import { mayErase } from '../../domain/event-types.ts'
import { filterWithData, readFileNames, readStreamPages } from '../../ledger/erasure/erase-events.ts'
import { deleteClients } from '../../ledger/append/actor-clients.ts'
import { clearUser } from './user-rows.ts'
import type { Acting, CompanyServices } from '../change-company.ts'
import { changeCompany } from '../change-company.ts'
import { forgetSessionClients } from '../session-events.ts'
import type { ChangedUser } from './change-user.ts'
import { changeUserRow } from './change-user.ts'
import { forgetSignIns } from './sign-in-records.ts'

/**
 * Erases the email, the name, the account at an identity provider, the names of tokens, passkeys and
 * uploaded files, and the addresses of a removed user, in the ledger and in the rows. The user's id, its actions and its roles stay. Does nothing if the user is already
 * erased. Throws RefusedByStateError with `user_not_found` or `user_not_removed`.
 */
export async function eraseUser(services: CompanyServices, acting: Acting, userId: string): Promise<ChangedUser> {
  const { companyId } = acting
  const { result, position } = await changeCompany(services, acting, 'admin', async (client) => {
    const positions = await findPersonalPositions(client, companyId, userId)
    const { events, result } = await changeUserRow(client, companyId, userId, { change: 'erase', positions })
    if (events.length > 0) {
      await clearUser(client, companyId, userId)
      await deleteClients(client, companyId, userId)
      await forgetSessionClients(client, companyId, userId)
      await forgetSignIns(client, { companyId, userId })
    }
    return { events, result }
  })
  if (position !== null) services.onErased?.('user')
  return { user: result, position }
}

/** The positions of the user's events that may contain personal data, and of the names of the files that they uploaded. */
async function findPersonalPositions(client: PoolClient, companyId: string, userId: string): Promise<number[]> {
  const positions: number[] = []
  for await (const page of readStreamPages(client, companyId, userId)) {
    for (const { type, position } of page) if (mayErase('UserErased', type)) positions.push(position)
  }
  for await (const page of readFileNames(client, companyId, { userId }))
    for (const { position } of page) positions.push(position)
  return filterWithData(client, companyId, positions)
}
