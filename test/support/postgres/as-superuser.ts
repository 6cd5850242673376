import pg from 'pg'
import { CITUS_URL } from './citus-url.ts'

/** Runs statements as the server's superuser, bypassing rights and triggers: to break what the service can't. */
export async function asSuperuser(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    // Lets tests inject faults with triggers on Citus too, where the service itself has none.
    if (CITUS_URL !== undefined) await client.query('set citus.enable_unsafe_triggers = on')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
