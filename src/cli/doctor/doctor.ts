import { findDatabase, type OpenedDatabase } from '#postgres/embedded/embedded-postgres'
import { listMissing, openUnchecked } from '#bootstrap/store'
import { checkpointFolder, findSigner, signingKeyFile, findConfiguredSecretBox, secretsKeyFile } from '#bootstrap/keys'
import { readWitnesses } from '#bootstrap/witnesses'
import { PROJECTIONS } from '#projections/index'
import { findMisspelled, type Config } from '../../config.ts'
import { connectionsOf } from '#postgres/connections'
import { isAhead } from '#migration/migrate'
import { errorReason, StartupError } from '#postgres/startup-error'
import { fail, ok, warn, type Finding, type Level } from './finding.ts'
import { checkListen, checkPoolers, checkServer, checkSize } from './check-server.ts'
import { checkMachines } from './check-machines.ts'
import {
  checkProjection,
  checkRecordedTimes,
  checkPrivileges,
  migrationFinding,
  checkMail,
  checkWitnesses,
  checkWitnessSettings,
  checkWork,
} from './check-tables.ts'
import {
  checkCheckpointLocation,
  checkCheckpoints,
  checkDisk,
  checkFolder,
  checkKey,
  checkSecrets,
} from './check-host.ts'
import { interruptible } from '../terminal/interruption.ts'
import { say } from '../terminal/print.ts'
import { readSettings } from '../terminal/settings.ts'

const FAILED = 1
const WARNED = 3

/** `doctor`: prints one line per check of the installation. It changes nothing. */
export async function runDoctor() {
  const { config, findings: ofWitnesses } = checkWitnessSettings(readSettings())
  const findings = [...ofWitnesses, ...(await checkHost(config)), ...(await checkDatabase(config))]
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length
  const [warned, failed] = [count('warn'), count('fail')]
  const verdict: Level = failed > 0 ? 'fail' : warned > 0 ? 'warn' : 'ok'
  if (verdict !== 'ok') process.exitCode = verdict === 'fail' ? FAILED : WARNED
  const counts = `${count('ok')} ok, ${warned} ${warned === 1 ? 'warning' : 'warnings'}, ${failed} failed\n`
  return say({ verdict, findings }, `${findings.map(formatFinding).join('')}${counts}`)
}

function formatFinding({ check, level, found: summary, advice }: Finding) {
  return `${level.padEnd(4)}  ${check}: ${summary}${advice === null ? '' : ` → ${advice}`}\n`
}

/** The checks that need no database. */
async function checkHost(config: Config): Promise<Finding[]> {
  const { SIGNING_KEY: signing, SECRETS_KEY: secrets } = config
  const isEmbedded = config.DATABASE_URL === undefined
  const folder = await checkFolder(config.DATA_DIR)
  return [
    ...findMisspelled().map((misspelled) => warn('settings', misspelled, 'set the one that you meant, or rename it')),
    await checkKey('signing key', () => findSigner(config), signing === undefined ? signingKeyFile(config) : null),
    await checkKey(
      'secrets key',
      () => findConfiguredSecretBox(config),
      secrets === undefined ? secretsKeyFile(config) : null,
    ),
    // With DATABASE_URL, the service writes nothing to the data folder.
    ...(isEmbedded || folder.level === 'ok' ? [folder] : []),
    ...(await checkOwnDisk(config)),
    await checkCheckpointLocation(checkpointFolder(config), isEmbedded ? config.DATA_DIR : null),
    ...(config.SMTP_URL === undefined ? [] : [await interruptible(() => checkMail(config))]),
  ]
}

/** Checks the disk that this program writes to. The database of DATABASE_URL may be on another machine. */
async function checkOwnDisk(config: Config): Promise<Finding[]> {
  const [folder, stops] =
    config.DATABASE_URL === undefined ? [config.DATA_DIR, 'every write'] : [checkpointFolder(config), 'the checkpoints']
  const { level } = await checkFolder(folder)
  return level === 'ok' ? [await checkDisk(folder, stops)] : []
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  const poolers = await interruptible(() => checkPoolers(config))
  // Further checks would leave their settings in shared sessions.
  if (poolers.level === 'fail') return [poolers]
  let database: OpenedDatabase
  try {
    database = await interruptible(() => findDatabase(config, 'visit'), Infinity)
  } catch (error) {
    const advice =
      config.DATABASE_URL === undefined
        ? 'fix this, or set DATABASE_URL to a PostgreSQL of your own'
        : 'check that PostgreSQL is running and that DATABASE_URL is correct'
    return [fail('connection', errorReason(error), advice)]
  }
  try {
    return [
      ok('connection', database.isEmbedded ? 'the embedded server answers' : 'the database of DATABASE_URL answers'),
      poolers,
      ...(await checkOpenDatabase(config, database)),
    ]
  } finally {
    await database.release()
  }
}

async function checkOpenDatabase(config: Config, { urls, isEmbedded, movedTo }: OpenedDatabase): Promise<Finding[]> {
  const { pool, db, close } = openUnchecked(config, urls, 'any')
  const findings: Finding[] = []
  const addFindings = async (check: string, task: () => Promise<Finding | Finding[]>) => {
    const result = await interruptible(task).catch((error: unknown) =>
      fail(check, `the check failed: ${errorReason(error)}`, 'fix this error, then run doctor again'),
    )
    for (const finding of [result].flat()) findings.push(finding)
  }
  try {
    await addFindings('server', () => checkServer(pool, connectionsOf(config)))
    await addFindings('size', () => checkSize(pool, isEmbedded))
    if (movedTo !== undefined) await addFindings('disk', () => checkDisk(movedTo, 'every write'))
    // A standby refuses it, and notifies nobody.
    const takesWrites = findings.every(({ check, level }) => check !== 'writes' || level === 'ok')
    if (takesWrites) await addFindings('LISTEN', () => checkListen(pool))
    const missing = await listMissing(db).catch((error: unknown) =>
      error instanceof StartupError ? error : ['everything'],
    )
    if (missing instanceof StartupError)
      return [...findings, fail('migrations', missing.message, 'see docs/versioning.md, “Upgrades”')]
    findings.push(migrationFinding(missing, await isAhead(db).catch(() => false)))
    // The checks below read tables that an outdated database may lack.
    if (missing.length > 0) return findings
    await addFindings('machines', () => checkMachines(db, urls.serviceUrl, connectionsOf(config)))
    await addFindings('role', () => checkPrivileges(db))
    await addFindings('recorded times', () => checkRecordedTimes(pool))
    for (const projection of PROJECTIONS)
      await addFindings(`projection ${projection.name}`, () => checkProjection(pool, projection))
    await addFindings('background work', () => checkWork(pool))
    await addFindings('witnesses', async () => checkWitnesses(pool, readWitnesses(config).witnesses.length))
    await addFindings('stored secrets', async () => checkSecrets(db, await findConfiguredSecretBox(config)))
    await addFindings('checkpoints', async () =>
      checkCheckpoints(db, await findSigner(config), config.CHECKPOINT_INTERVAL_MS),
    )
    return findings
  } finally {
    await close()
  }
}
