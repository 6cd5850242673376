import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import { outsideCompany } from '../../postgres/company-scope.ts'

const keys = new WeakMap<Pool, Promise<Buffer>>()

/**
 * Reads the installation's secret for signing in, which never changes. Asks the database once for each pool.
 */
export function readSignInKey(pool: Pool): Promise<Buffer> {
  const known = keys.get(pool)
  if (known) return known
  const reading = outsideCompany(() => selectKey(pool))
  keys.set(pool, reading)
  reading.catch(() => keys.delete(pool))
  return reading
}

async function selectKey(pool: Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ sign_in_key: Buffer }>('select sign_in_key from setup')
  const [row] = rows
  if (!row) throw new Error('the database is not set up')
  return row.sign_in_key
}

/** HMAC-SHA-256 with the installation's secret. `purpose` keeps the values of different uses apart. */
export function signWithKey(key: Buffer, purpose: string, value: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${value}`).digest()
}
