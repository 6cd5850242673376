import { readFileSync } from 'node:fs'
import pg from 'pg'
import { runAs } from '../../src/postgres/embedded/database-os-user.ts'
import type { Cluster } from '../faults/cluster.ts'
import { startCluster, urlsNow } from '../faults/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { unpackBaseBackup, writeForServer } from './base-backup.ts'

/** The runbook's commands to archive and restore the log, for an archive in this folder. */
export function archiveCommands(archive: string): { archive: string; restore: string } {
  const runbook = readFileSync('docs/operations.md', 'utf8')
  const commandOf = (setting: string) => {
    const [, command] = new RegExp(`^${setting} = '(.*)'$`, 'm').exec(runbook) ?? []
    if (command === undefined) throw new Error(`the runbook names no ${setting}`)
    return command.replaceAll('/archive/', `${archive}/`)
  }
  return { archive: commandOf('archive_command'), restore: commandOf('restore_command') }
}

interface Recovery {
  backup: string
  clusterDir: string
  /** The folder of the archived log. */
  archive: string
  /** A folder with the lost server's unarchived log. */
  rescuedLog?: string
  /** The moment to stop at, in PostgreSQL's notation; without it, the end of the log. */
  time?: string
}

/** Restores a base backup of a cluster and replays the log. Resolves when the server takes writes. */
export async function recoverCluster({ urls }: Pick<Cluster, 'urls'>, recovery: Recovery): Promise<Cluster> {
  const { backup, clusterDir, archive, rescuedLog, time } = recovery
  await unpackBaseBackup(backup, clusterDir)
  if (rescuedLog !== undefined) await copyLog(rescuedLog, clusterDir)
  await writeForServer(clusterDir, 'recovery.signal', '')
  const target = time === undefined ? {} : { recovery_target_time: time, recovery_target_action: 'promote' }
  const restored = await startCluster(clusterDir, urls, {
    restore_command: archiveCommands(archive).restore,
    ...target,
  })
  await untilPromoted(restored)
  return restored
}

async function copyLog(from: string, clusterDir: string): Promise<void> {
  // Keeps the owner, unlike a copy by Node.js.
  const { ok, lines } = await runAs({ name: 'this user' }, 'cp', ['-a', `${from}/.`, `${clusterDir}/pg_wal`])
  if (!ok) throw new Error(`the log could not be copied: ${lines.at(-1)}`)
}

/** Starts a standby from a base backup of a primary, which streams the log to it. */
export async function startStandby(
  primary: Cluster,
  backup: string,
  clusterDir: string,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  await unpackBaseBackup(backup, clusterDir)
  await writeForServer(clusterDir, 'standby.signal', '')
  const { hostname, port, username, password } = new URL(urlsNow(primary).superUrl)
  const from = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`
  return startCluster(clusterDir, primary.urls, { primary_conninfo: from, ...settings })
}

/** Makes a standby the primary. */
export async function promote(standby: Cluster): Promise<void> {
  await ask(standby, 'select pg_promote()')
  await untilPromoted(standby)
}

async function untilPromoted(cluster: Cluster): Promise<void> {
  await eventually(
    'the server takes writes',
    async () => (await ask<{ is_over: boolean }>(cluster, 'select not pg_is_in_recovery() as is_over'))?.is_over,
  )
}

/** Asks as superuser, and returns the first row of the answer. */
export async function ask<Row extends pg.QueryResultRow>(
  cluster: Cluster,
  statement: string,
): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: urlsNow(cluster).superUrl })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows[0]
  } finally {
    await client.end()
  }
}
