import { execFile } from 'node:child_process'
import { chown, stat } from 'node:fs/promises'
import { isErrno } from './errno.ts'
import { StartupError } from './startup-error.ts'

const OS_USER_NAME = 'postgres'
const OUTPUT_MAX_BYTES = 1024 * 1024
// The caller's own variables (PGDATA, PGPORT, LC_ALL …) must not bend what we start.
const CLEAN_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** The OS user that PostgreSQL runs as; without `ids` it is the one who runs this program. */
export interface DatabaseOsUser {
  name: string
  ids?: { uid: number; gid: number }
}

/** How a command ended, with the lines it printed, on either stream. */
export interface CommandResult {
  ok: boolean
  lines: string[]
}

/**
 * Ordinary users run PostgreSQL as themselves. It refuses to run as root, so there the owner of the cluster runs
 * it, or the OS user `postgres` where there is no cluster yet.
 */
export async function findDatabaseOsUser(clusterDir: string): Promise<DatabaseOsUser> {
  if (process.getuid?.() !== 0) return { name: 'this user' }
  const ids = (await ownerOf(clusterDir)) ?? (await lookUpIds()) ?? (await createOsUser())
  return { name: `OS user ${ids.name}`, ids: { uid: ids.uid, gid: ids.gid } }
}

/** Runs a command as that user, in a folder that everybody can enter. */
export function runAs(user: DatabaseOsUser, command: string, args: string[]): Promise<CommandResult> {
  const options = { ...user.ids, cwd: '/', env: CLEAN_ENVIRONMENT, maxBuffer: OUTPUT_MAX_BYTES }
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
      // A command that could not be started at all printed nothing.
      if (error && lines.length === 0) lines.push(error.message)
      resolve({ ok: error === null, lines })
    })
  })
}

/** Whether that user can enter the folder, seen with their own eyes. */
export async function canEnter(user: DatabaseOsUser, folder: string): Promise<boolean> {
  const result = await runAs(user, '/bin/sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder])
  return result.ok
}

/** Makes that user the owner of a file or folder which this process made. */
export async function giveTo(user: DatabaseOsUser, path: string): Promise<void> {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid)
}

interface NamedIds {
  name: string
  uid: number
  gid: number
}

async function ownerOf(clusterDir: string): Promise<NamedIds | undefined> {
  try {
    const { uid, gid } = await stat(clusterDir)
    return uid === 0 ? undefined : { name: String(uid), uid, gid }
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

async function lookUpIds(): Promise<NamedIds | undefined> {
  const asOurselves = { name: 'root' }
  const [uid, gid] = await Promise.all([
    runAs(asOurselves, 'id', ['-u', OS_USER_NAME]),
    runAs(asOurselves, 'id', ['-g', OS_USER_NAME]),
  ])
  if (!uid.ok || !gid.ok) return undefined
  return { name: OS_USER_NAME, uid: Number(uid.lines[0]), gid: Number(gid.lines[0]) }
}

async function createOsUser(): Promise<NamedIds> {
  const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin']
  await runAs({ name: 'root' }, 'useradd', [...options, OS_USER_NAME])
  const ids = await lookUpIds()
  if (ids) return ids
  throw new StartupError(
    `PostgreSQL refuses to run as root: create an OS user called ${OS_USER_NAME}, or set DATABASE_URL`,
  )
}
