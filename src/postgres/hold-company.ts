import { toUuid } from '../domain/ids.ts'
import { onlyCompany } from './only-company.ts'
import type { QueryClient, Statement } from './query-client.ts'

/*
 * Citus moves a company to another machine when the transactions that have written to its tables have ended. It doesn't
 * wait for one that has only locked rows. What that one writes next goes to the new machine, where it has no locks.
 */

/**
 * Keeps a company where it is until the end of the transaction, or waits until it has been moved. To be sent before
 * other statements of the transaction.
 */
export function holdCompany(companyId: string): Statement {
  return {
    name: 'hold-company',
    // A statement that waits for a move can miss the rows that were moved. This one changes none anyway.
    text: 'update heads set position = position where company_id = $1 and position < 0',
    values: [toUuid(companyId)],
  }
}

/** The same for the company of rows that are all of one. On a cluster, a transaction is about one company. */
export async function holdOnlyCompany(client: QueryClient, rows: readonly { companyId: string }[]): Promise<void> {
  const [first] = rows
  if (onlyCompany(rows) !== null) await client.query(holdCompany(first!.companyId))
}
