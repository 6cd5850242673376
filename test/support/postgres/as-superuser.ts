import pg from 'pg'
import { CITUS_URL } from './citus-url.ts'

/** Runs statements as the server's superuser, past all rights and triggers: to break what the service cannot break. */
export async function asSuperuser(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    // What a trigger breaks is broken there as well; only the service has none on Citus.
    if (CITUS_URL !== undefined) await client.query('set citus.enable_unsafe_triggers = on')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
