import path from 'node:path'
import type { OpenedDatabase } from '../postgres/embedded/find-database.ts'
import type { OpenedPool } from '../bootstrap/store.ts'
import { findDatabase } from '../postgres/embedded/find-database.ts'
import { isSetUp, openUnchecked } from '../bootstrap/store.ts'
import { openNotes, signingKeyFile } from '../bootstrap/signing.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Config } from '../config.ts'
import { connectionsOf } from '../postgres/connections.ts'
import { faultReason } from '../postgres/fault-reason.ts'
import type { Finding, Level } from '../doctor/finding.ts'
import { fail, ok } from '../doctor/finding.ts'
import { lookAtReplica } from '../doctor/look-at-replica.ts'
import { lookAtListen } from '../doctor/look-at-listen.ts'
import { lookAtServer, lookAtSize } from '../doctor/look-at-server.ts'
import { lookAtProjection, lookAtRecordedTimes, lookAtRights, migrationFinding } from '../doctor/look-at-tables.ts'
import {
  lookAtCheckpointPlace,
  lookAtCheckpoints,
  lookAtDisk,
  lookAtFolder,
  lookAtKeyFile,
} from '../doctor/look-outside.ts'
import { interruptible } from './terminal/interruption.ts'
import { print } from './terminal/print.ts'
import { readSettings } from './terminal/settings.ts'

const FAILED = 1
const WARNED = 3

/** `doctor`: a line for each look at the installation. It changes nothing. */
export async function examine({ json }: { json?: boolean }) {
  const config = readSettings()
  const findings = [...(await outside(config)), ...(await inside(config))]
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [warned, failed] = [count('warn'), count('fail')]
  const verdict: Level = failed > 0 ? 'fail' : warned > 0 ? 'warn' : 'ok'
  if (json) print({ verdict, findings }, true)
  else process.stdout.write(`${findings.map(told).join('')}${count('ok')} ok, ${warned} to look at, ${failed} wrong\n`)
  if (verdict !== 'ok') process.exitCode = verdict === 'fail' ? FAILED : WARNED
}

function told({ check, level, found, advice }: Finding): string {
  return `${level.padEnd(4)}  ${check}: ${found}${advice === null ? '' : ` → ${advice}`}\n`
}

/** What is to be seen without the database. */
async function outside(config: Config): Promise<Finding[]> {
  const key =
    config.SIGNING_KEY === undefined
      ? await lookAtKeyFile(signingKeyFile(config))
      : ok('signing key', 'from SIGNING_KEY')
  const isEmbedded = config.DATABASE_URL === undefined
  const folder = await lookAtFolder(config.DATA_DIR)
  // A service with a database of its own writes nothing there.
  const data = isEmbedded || folder.level === 'ok' ? [folder] : []
  const disk = await lookAtOwnDisk(config)
  const place = await lookAtCheckpointPlace(checkpointFolder(config), isEmbedded ? config.DATA_DIR : null)
  return [key, ...data, ...disk, place]
}

/** Of the folder that this program writes to: a database of one's own is on the disk of another machine, perhaps. */
async function lookAtOwnDisk(config: Config): Promise<Finding[]> {
  const [folder, stops] =
    config.DATABASE_URL === undefined ? [config.DATA_DIR, 'every write'] : [checkpointFolder(config), 'the checkpoints']
  const { level } = await lookAtFolder(folder)
  return level === 'ok' ? [await lookAtDisk(folder, stops)] : []
}

function checkpointFolder({ CHECKPOINT_DIR: folder, DATA_DIR: dataDir }: Config): string {
  return folder ?? path.join(dataDir, 'checkpoints')
}

async function inside(config: Config): Promise<Finding[]> {
  let database: OpenedDatabase
  try {
    database = await interruptible(() => findDatabase(config, 'visit'), Infinity)
  } catch (error) {
    return [fail('connection', faultReason(error), 'see that PostgreSQL runs and that DATABASE_URL names it')]
  }
  try {
    return [
      ok('connection', database.isEmbedded ? 'the embedded server answers' : 'the database of DATABASE_URL answers'),
      ...(await examineDatabase(config, database)),
    ]
  } finally {
    await database.release()
  }
}

async function examineDatabase(config: Config, { urls, isEmbedded, movedTo }: OpenedDatabase): Promise<Finding[]> {
  const { pool, db, close } = openUnchecked(config, urls)
  const findings: Finding[] = []
  const look = async (check: string, task: () => Promise<Finding | Finding[]>) => {
    const found = await interruptible(task).catch((error: unknown) =>
      fail(check, `cannot be looked at: ${faultReason(error)}`, 'mend that first'),
    )
    for (const finding of [found].flat()) findings.push(finding)
  }
  try {
    await look('server', () => lookAtServer(pool, connectionsOf(config)))
    await look('size', () => lookAtSize(pool, isEmbedded))
    if (movedTo !== undefined) await look('disk', () => lookAtDisk(movedTo, 'every write'))
    await look('LISTEN', () => lookAtListen(pool))
    const { READ_DATABASE_URL: url } = config
    if (url !== undefined) await look('replica', () => examineReplica(config, pool, url))
    const isCurrent = await isSetUp(db).catch(() => false)
    findings.push(migrationFinding(isCurrent))
    // What follows stands in the tables.
    if (!isCurrent) return findings
    await look('recorded times', () => lookAtRecordedTimes(db))
    await look('role', () => lookAtRights(db))
    for (const projection of PROJECTIONS)
      await look(`projection ${projection.name}`, () => lookAtProjection(db, projection))
    await look('checkpoints', () => lookAtCheckpoints(db, openNotes(config), config.CHECKPOINT_INTERVAL_MS))
    return findings
  } finally {
    await close()
  }
}

async function examineReplica(config: Config, primary: OpenedPool['pool'], url: string): Promise<Finding[]> {
  const replica = openUnchecked(config, { serviceUrl: url, ownerUrl: url })
  try {
    return await lookAtReplica(primary, replica.pool, config.READ_STALENESS_MS)
  } finally {
    await replica.close()
  }
}
