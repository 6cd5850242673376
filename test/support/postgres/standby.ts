import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Cluster } from '../../faults/cluster.ts'
import { openCluster, urlsNow } from '../../faults/cluster.ts'
import { takeBaseBackup } from '../../backup/base-backup.ts'
import { ask, startStandby } from '../../backup/recovery.ts'
import type { DatabaseLine } from '../lines/database-line.ts'
import { openDatabaseLine } from '../lines/database-line.ts'
import { eventually } from '../eventually.ts'
import type { Service } from '../service.ts'
import { startService } from '../service.ts'

/** A service on its own server with a streaming standby that no service reads yet. */
interface Replicated {
  service: Service
  primary: Cluster
  standby: Cluster
  /** The line to the standby, and its address through the line, as the service's role. */
  line: DatabaseLine
  replicaUrl: string
  /** Pauses or resumes the replay. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Waits until the standby has all that the primary has. */
  followed(): Promise<void>
}

/** Starts both. `settings` are the standby's PostgreSQL settings. */
export async function startReplicated(t: Test, settings: Record<string, string> = {}): Promise<Replicated> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ledger-replica-'))
  chmodSync(folder, 0o755)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const primary = await openCluster(path.join(folder, 'data'), { wal_keep_size: '1GB' })
  t.teardown(() => primary.stop())
  const backup = path.join(folder, 'base.tar')
  await takeBaseBackup(primary, backup)
  const standby = await startStandby(primary, backup, path.join(folder, 'standby'), settings)
  t.teardown(() => standby.stop())
  const line = await openDatabaseLine(t, standby.port)
  const service = await startService(t, {}, { urls: { ...urlsNow(primary), name: 'employee_ledger' } })
  return {
    ...{ service, primary, standby, line, replicaUrl: line.through(standby.urls.serviceUrl) },
    async pause() {
      await ask(standby, 'select pg_wal_replay_pause()')
      await eventually(
        'replay is paused',
        async () =>
          (await ask<{ state: string }>(standby, 'select pg_get_wal_replay_pause_state() as state'))?.state ===
          'paused',
      )
    },
    async resume() {
      await ask(standby, 'select pg_wal_replay_resume()')
    },
    async followed() {
      const { lsn } = (await ask<{ lsn: string }>(primary, 'select pg_current_wal_lsn() as lsn'))!
      await eventually('the standby has replayed it', async () =>
        ask(standby, `select where pg_last_wal_replay_lsn() >= '${lsn}'`),
      )
    },
  }
}
