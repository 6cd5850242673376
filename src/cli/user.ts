import { newId } from '../bootstrap.ts'
import { addUser } from '../commands/add-user.ts'
import type { Role } from '../domain/company.ts'
import { print } from './print.ts'
import { withStore } from './with-store.ts'

/** `user add`: a user of a company. */
export async function addCompanyUser(options: { company: string; email: string; name: string; role: Role; json?: boolean }) {
  const { company: companyId, email, name, role } = options
  const added = await withStore(({ store: { pool } }) => addUser({ pool, newId }, { companyId, email, name, role }))
  print({ ...added }, options.json)
}
