import type { Acting, CompanyServices } from '../../accounts/change-company.ts'
import { findOutbox } from '../../bootstrap/mail.ts'
import { newId } from '../../ledger/new-id.ts'
import { createConfiguredSecretBox } from '../../bootstrap/secrets.ts'
import { OPERATOR } from '../../ledger/append/append-company-events.ts'
import type { Opened } from '../terminal/with-store.ts'

/** The options of commands about a company. */
export interface CompanyOptions {
  company: string
}

/** The operator, who changes a company from the command line. */
export function asOperator(companyId: string): Acting {
  return { companyId, actor: OPERATOR }
}

/** Opens the services of changes of users, who may get messages. */
export async function openUserServices({ config, store: { pool } }: Opened): Promise<CompanyServices> {
  return { pool, newId, outbox: await findOutbox(config) }
}

/** Opens the services of changes that store secrets. */
export async function openServices({ config, store: { pool } }: Opened) {
  return { pool, newId, secrets: await createConfiguredSecretBox(config) }
}
