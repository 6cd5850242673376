import type { Kysely } from 'kysely'
import { createIndexesConcurrently } from '../../../src/postgres/create-indexes.ts'

export const isConcurrent = true

/** Lets the next version of the program find events by their type, while the released version appends them. */
export async function up(db: Kysely<never>): Promise<void> {
  await createIndexesConcurrently(db, 'public', {
    events_by_type: { table: 'events', on: '(company_id, type, position)' },
  })
}
