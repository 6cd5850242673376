import type { PoolClient } from 'pg'
import { toUuid } from '../../../src/domain/ids.ts'
import type { Service } from '../service.ts'

/** Locks a company's head, as an append of another process does, until `letGo`. */
export function holdHead(service: Service, company: { id: string } = service.company): Promise<PoolClient> {
  return holdRow(service, 'heads', company)
}

/** Locks a company's rows of a table until `letGo`. */
export async function holdRow(service: Service, table: string, { id }: { id: string }): Promise<PoolClient> {
  const holder = await service.pool.connect()
  await holder.query('begin')
  await alsoHold(holder, table, { id })
  return holder
}

/** Locks another company's rows in the same transaction. */
export async function alsoHold(holder: PoolClient, table: string, { id }: { id: string }): Promise<void> {
  await holder.query(`select 1 from ${table} where company_id = $1 for update`, [toUuid(id)])
}

/** Lets go of the rows. */
export async function letGo(holder: PoolClient): Promise<void> {
  await holder.query('rollback')
  holder.release()
}
