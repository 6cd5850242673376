import pg from 'pg'
import type { Service } from '../service.ts'

/** Locks tables against readers. Call the returned function to unlock them. */
export async function lockTables(service: Service, ...names: string[]): Promise<() => Promise<void>> {
  const owner = new pg.Client({ connectionString: service.urls.superUrl })
  await owner.connect()
  await owner.query('begin')
  await owner.query(`lock table ${names.join(', ')} in access exclusive mode`)
  return () => owner.end()
}
