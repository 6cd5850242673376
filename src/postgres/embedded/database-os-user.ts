import { spawn } from 'node:child_process'
import { chown, stat } from 'node:fs/promises'
import { isErrno } from '#files/errno'
import { StartupError } from '../startup-error.ts'

const OS_USER_NAME = 'postgres'
// The caller's variables (PGDATA, PGPORT, LC_ALL, …) must not affect the programs.
const CLEAN_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }

/** The OS user that runs PostgreSQL; without `ids`, the current user. */
export interface DatabaseOsUser {
  name: string
  ids?: { uid: number; gid: number }
}

/** The outcome of a command, with its lines of standard output and standard error. */
export interface CommandResult {
  ok: boolean
  lines: string[]
}

/**
 * Ordinary users run PostgreSQL as themselves. PostgreSQL refuses to run as root, so root runs it as the owner of the
 * cluster, or as the OS user `postgres` if there is no cluster yet.
 */
export async function findDatabaseOsUser(clusterDir: string): Promise<DatabaseOsUser> {
  if (process.getuid?.() !== 0) return { name: 'this user' }
  const ids = (await readOwner(clusterDir)) ?? (await lookUpIds()) ?? (await createOsUser())
  return { name: `OS user ${ids.name}`, ids: { uid: ids.uid, gid: ids.gid } }
}

/**
 * Runs a command as a user, in a folder that the user can enter, and in a session of its own: Ctrl-C or a closed
 * terminal reaches only this program, which then shuts down in order.
 */
export function runAs(user: DatabaseOsUser, command: string, args: string[], cwd = '/'): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { ...user.ids, cwd, env: CLEAN_ENVIRONMENT, detached: true }
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    child.on('error', (error) => resolve({ ok: false, lines: [error.message] }))
    child.on('close', (exitCode) => {
      resolve({ ok: exitCode === 0, lines: output.split('\n').filter((line) => line.trim() !== '') })
    })
  })
}

/** Whether a user can enter a folder. */
export async function canEnter(user: DatabaseOsUser, folder: string): Promise<boolean> {
  const result = await runAs(user, '/bin/sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder])
  return result.ok
}

/** Makes a user the owner of a file or folder that this process created. */
export async function giveTo(user: DatabaseOsUser, path: string) {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid)
}

interface NamedIds {
  name: string
  uid: number
  gid: number
}

async function readOwner(clusterDir: string): Promise<NamedIds | undefined> {
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
