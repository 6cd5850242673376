import type { Acting, CompanyServices } from '../../accounts/change-company.ts'
import { findOutbox } from '../../bootstrap/mail.ts'
import { newId } from '../../ledger/new-id.ts'
import { createConfiguredSecretBox } from '../../bootstrap/secrets.ts'
import { OPERATOR } from '../../ledger/append/append-company-events.ts'
import { withStore, type Opened } from '../terminal/with-store.ts'

/** The options of commands about a company. */
export interface CompanyOptions {
  company: string
}

/** The operator, who changes a company from the command line. */
export function asOperator(companyId: string): Acting {
  return { companyId, actor: OPERATOR }
}

/** Runs a change of a company as the operator. */
export function changeAsOperator<Result>(
  companyId: string,
  change: (services: CompanyServices, acting: Acting) => Promise<Result>,
): Promise<Result> {
  return withStore(({ store: { pool } }) => change({ pool, newId }, asOperator(companyId)))
}

/** The same for a change that may send messages to users. */
export function changeAndNotify<Result>(
  companyId: string,
  change: (services: CompanyServices, acting: Acting) => Promise<Result>,
): Promise<Result> {
  return withStore(async ({ config, store: { pool } }) =>
    change({ pool, newId, outbox: await findOutbox(config) }, asOperator(companyId)),
  )
}

/** Opens the services of changes that store secrets. */
export async function openServices({ config, store: { pool } }: Opened) {
  return { pool, newId, secrets: await createConfiguredSecretBox(config) }
}
