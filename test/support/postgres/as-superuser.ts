import pg from 'pg'

/**
 * Runs statements as the server's superuser, bypassing rights and triggers: to break what the service can't. Each is a
 * transaction.
 */
export async function asSuperuser(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // For Citus; PostgreSQL ignores both. The machines of the shards get `session_replication_role`, too, and tests may
    // inject faults with triggers.
    await client.query(`set citus.propagate_set_commands = 'local'`)
    await client.query('set citus.enable_unsafe_triggers = on')
    for (const statement of statements) {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      await client.query(statement)
      await client.query('commit')
    }
  } finally {
    await client.end()
  }
}
