import type { KyselyPlugin, QueryResult, UnknownRow } from 'kysely'
import type { LedgerDb } from '../../../src/ledger/tables.ts'

/** The same database, but something happens before each answer is returned. */
export function meddledDatabase(
  db: LedgerDb,
  happens: (answer: QueryResult<UnknownRow>) => Promise<unknown>,
): LedgerDb {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await happens(result)
      return result
    },
  }
  return db.withPlugin(plugin)
}
