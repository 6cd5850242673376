import { mkdir, readFile, writeFile } from 'node:fs/promises'
import pg from 'pg'
import { findDatabaseOsUser, giveTo, runAs } from '../../src/postgres/embedded/database-os-user.ts'
import type { Cluster } from '../faults/cluster.ts'
import { urlsNow } from '../faults/cluster.ts'

/*
 * Base backups with PostgreSQL's low-level API (see “Making a Base Backup Using the Low Level API” in its manual),
 * because the embedded server comes without pg_basebackup.
 */

/** Left out of a base backup: the log comes from the archive, and the rest belongs to the running server. */
const LEFT_OUT = ['pg_wal/*', 'pg_replslot/*', 'postmaster.pid', 'postmaster.opts', 'server.log']
const OURSELVES = { name: 'this user' }

/** Copies a running cluster's files into a tar file, and its backup label into a file beside it. */
export async function takeBaseBackup(cluster: Cluster, file: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlsNow(cluster).superUrl })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('base backup', fast => true)`)
    const exclude = LEFT_OUT.map((name) => `--exclude=./${name}`)
    // Exit code 1 means that files changed while they were read. That is expected: replaying the log corrects it.
    const script = 'tar "$@"; test $? -le 1'
    const { ok, lines } = await runAs(OURSELVES, '/bin/sh', [
      '-c',
      script,
      'sh',
      '-C',
      cluster.clusterDir,
      ...exclude,
      '-cf',
      file,
      '.',
    ])
    if (!ok) throw new Error(`the cluster could not be copied: ${lines.at(-1)}`)
    // Waits until the archive has all of the log that the copy needs.
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(labelOf(file), rows[0]!.labelfile)
  } finally {
    await client.end()
  }
}

/** Unpacks a base backup into a cluster folder, with the original owner. */
export async function unpackBaseBackup(file: string, clusterDir: string): Promise<void> {
  await mkdir(clusterDir, { mode: 0o700 })
  const { ok, lines } = await runAs(OURSELVES, 'tar', ['-C', clusterDir, '-xpf', file])
  if (!ok) throw new Error(`the base backup could not be unpacked: ${lines.at(-1)}`)
  await writeForServer(clusterDir, 'backup_label', await readFile(labelOf(file), 'utf8'))
}

/** Writes a file that the server reads from its folder and may remove. */
export async function writeForServer(clusterDir: string, name: string, text: string): Promise<void> {
  await writeFile(`${clusterDir}/${name}`, text)
  await giveTo(await findDatabaseOsUser(clusterDir), `${clusterDir}/${name}`)
}

function labelOf(file: string): string {
  return `${file}.label`
}
