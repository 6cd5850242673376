import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'

/** Creates the head of a new company, at position 0. Does nothing if the company has one. */
export async function openHead(client: ClientBase, companyId: string): Promise<void> {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())
     on conflict (company_id) do nothing`,
    [toUuid(companyId)],
  )
}
