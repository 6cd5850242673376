import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import type { DatabaseOsUser } from '../../../src/postgres/embedded/database-os-user.ts'
import { giveTo, runAs } from '../../../src/postgres/embedded/database-os-user.ts'
import { eventually } from '../../support/eventually.ts'
import { runSql } from '../../support/postgres/run-sql.ts'

/** Copies a running server into a folder, as a standby that will stream from it. */
export async function copyServer(
  user: DatabaseOsUser,
  programs: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  await giveTo(user, to)
  // With checksums, temporary files of Citus make it fail (its issue 4442).
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '--no-verify-checksums']
  const { ok, lines } = await runAs(user, path.join(programs, 'pg_basebackup'), ['-d', from, '-D', to, ...options])
  if (!ok) throw new Error(`pg_basebackup: ${lines.join('\n')}`)
}

/** Makes a server's commits wait for its standby, and waits until the standby has all commits before. */
export async function requireStandby(url: string): Promise<void> {
  await runSql(url, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const ask = async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows[0]
    await eventually('the standby is synchronous', () =>
      ask("select from pg_stat_replication where sync_state = 'sync'"),
    )
    const { now } = (await ask<{ now: string }>('select pg_current_wal_insert_lsn() as now'))!
    await eventually('the standby has all commits', () =>
      ask('select from pg_stat_replication where flush_lsn >= $1::pg_lsn', [now]),
    )
  } finally {
    await client.end()
  }
}
