import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'

/** Makes the head of a new company, with no events behind it. Does nothing when the company has one. */
export async function openHead(client: ClientBase, companyId: string): Promise<void> {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())
     on conflict (company_id) do nothing`,
    [toUuid(companyId)],
  )
}
