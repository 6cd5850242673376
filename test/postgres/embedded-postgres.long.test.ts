import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import t from 'tap'
import { openEmbeddedDatabase, type EmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'
import { StartupError } from '../../src/postgres/startup-error.ts'
import { eventually } from '../support/eventually.ts'

const SETTINGS = { fsync: 'off' }
const isRoot = process.getuid?.() === 0
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

/** A folder that is removed after the tests. */
async function temporaryFolder(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ledger-test-'))
  await chmod(folder, mode)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Stops a server that a failed test left running. */
async function endServer(cluster: string): Promise<void> {
  const pid = await postmasterPid(cluster).catch(() => undefined)
  if (pid !== undefined) process.kill(pid, 'SIGQUIT')
}

const dataDir = join(await temporaryFolder(0o755), 'data')
const clusterDir = join(dataDir, 'postgres')
const pidFile = join(clusterDir, 'postmaster.pid')
t.teardown(() => endServer(clusterDir))

function open(purpose: 'serve' | 'visit', folder = dataDir): Promise<EmbeddedDatabase> {
  return openEmbeddedDatabase({ dataDir: folder, purpose, settings: SETTINGS })
}

async function query<T extends object>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function postmasterPid(cluster = clusterDir): Promise<number> {
  return Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

async function superuserUrl(db: EmbeddedDatabase): Promise<string> {
  const text = await readFile(join(dataDir, 'database.json'), 'utf8')
  const { superuserPassword } = JSON.parse(text) as { superuserPassword: string }
  return `postgres://postgres:${superuserPassword}@${new URL(db.ownerUrl).host}/postgres`
}

/** The message of the expected StartupError. */
async function startupFault(opening: Promise<EmbeddedDatabase>): Promise<string> {
  try {
    const db = await opening
    await db.release()
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  throw new Error('it opened')
}

await t.test('two simultaneous first starts make one database', async (t) => {
  const gone = spawnSync('true').pid
  const halfMade = join(dataDir, `postgres.new-${gone}-0123abcd`)
  await mkdir(halfMade, { recursive: true })

  const [first, second] = await Promise.all([open('visit'), open('visit')])
  t.equal(first.ownerUrl, second.ownerUrl, 'both use the same server')
  t.equal(first.clusterDir, clusterDir)
  t.equal(first.movedTo, undefined)
  await query(first.ownerUrl, 'CREATE TABLE kept (value int); INSERT INTO kept VALUES (7)')
  await Promise.all([first.release(), second.release()])

  t.same(await readdir(dataDir), ['database.json', 'postgres'], 'nothing half made is left')
  t.equal((await stat(join(dataDir, 'database.json'))).mode & 0o777, 0o600, 'only the owner can read the passwords')
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('a later start continues with the same data', async (t) => {
  const db = await open('serve')
  t.same(await query(db.ownerUrl, 'SELECT value FROM kept'), [{ value: 7 }])
  await db.release()
})

await t.test('processes share one server, and the last one out stops it', async (t) => {
  const serving = await open('serve')
  const visiting = await open('visit')
  t.equal(visiting.serviceUrl, serving.serviceUrl)

  await serving.release()
  await serving.release()
  t.same(
    await query(visiting.ownerUrl, 'SELECT value FROM kept'),
    [{ value: 7 }],
    'the remaining process is unaffected',
  )
  await visiting.release()
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('a process that comes as the last one stops gets a new server', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const leaving = await open('visit')
    const [, coming] = await Promise.all([leaving.release(), open('visit')])
    t.same(await query(coming.ownerUrl, 'SELECT value FROM kept'), [{ value: 7 }])
    await coming.release()
  }
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('a second service is refused with one clear line while visitors are let in', async (t) => {
  const serving = await open('serve')
  const visiting = await open('visit')
  t.equal(await startupFault(open('serve')), `employee-ledger is already running on ${dataDir}`)
  t.same(await query(visiting.ownerUrl, 'SELECT value FROM kept'), [{ value: 7 }], 'the refusal disturbs nobody')
  await serving.release()

  const next = await open('serve')
  await Promise.all([visiting.release(), next.release()])
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('the service role is neither superuser nor owner, and every role needs a password', async (t) => {
  const db = await open('visit')
  const roles = await query(
    db.serviceUrl,
    `SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole AS powerful,
       rolname = pg_get_userbyid(datdba) AS owner
     FROM pg_roles, pg_database WHERE rolname LIKE 'ledger%' AND datname = current_database() ORDER BY rolname`,
  )
  t.same(roles, [
    { rolname: 'ledger_owner', powerful: false, owner: true },
    { rolname: 'ledger_service', powerful: false, owner: false },
  ])
  await t.rejects(query(db.serviceUrl, 'SELECT value FROM kept'), { code: '42501' })
  await t.rejects(query(db.serviceUrl, 'CREATE TABLE mine ()'), { code: '42501' })
  const elsewhere = db.serviceUrl.replace(/employee_ledger$/, 'postgres')
  await t.rejects(query(elsewhere, 'SELECT 1'), { code: '42501' }, 'it can connect to no other database')
  const guessed = new URL(db.serviceUrl)
  guessed.password = 'guessed'
  await t.rejects(query(guessed.href, 'SELECT 1'), { code: '28P01' })
  await db.release()
})

await t.test('text is UTF-8 and sorts the same on every machine', async (t) => {
  const db = await open('visit')
  const rows = await query(
    db.ownerUrl,
    `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale,
       upper('é') AS upper, 'Z' < 'a' AS by_code_point
     FROM pg_database WHERE datname = current_database()`,
  )
  t.same(rows, [{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8', upper: 'É', by_code_point: true }])
  await db.release()
})

await t.test('a server that was killed comes back with its data', async (t) => {
  const db = await open('serve')
  process.kill(await postmasterPid(), 'SIGKILL')
  const next = await open('visit')
  t.same(await query(next.ownerUrl, 'SELECT value FROM kept'), [{ value: 7 }])
  await db.release()
  await next.release()
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('release succeeds quietly after the server was killed', async () => {
  const db = await open('serve')
  process.kill(await postmasterPid(), 'SIGKILL')
  await db.release()
})

await t.test('a server left behind by a killed process is adopted, and stopped in the end', async (t) => {
  const module = new URL('../../src/postgres/embedded/embedded-postgres.ts', import.meta.url).href
  const script = `import { openEmbeddedDatabase } from '${module}'
    await openEmbeddedDatabase(${JSON.stringify({ dataDir, purpose: 'serve', settings: SETTINGS })})
    process.stdout.write('open')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const pid = await postmasterPid()
  child.kill('SIGKILL')
  await once(child, 'exit')

  const db = await open('serve')
  t.equal(await postmasterPid(), pid, 'the same server')
  await db.release()
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('a visitor does not stop the server under a process whose connections broke', async (t) => {
  const serving = await open('serve')
  const admin = new Client({ connectionString: await superuserUrl(serving) })
  await admin.connect()
  const leases = `FROM pg_stat_activity WHERE application_name = 'employee-ledger lease'`
  await admin.query(`SELECT pg_terminate_backend(pid, 5000) ${leases}`)
  const locks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted`
  await eventually('both leases are back', async () => (await admin.query(locks)).rowCount === 2)
  await admin.end()

  const visiting = await open('visit')
  await visiting.release()
  t.same(await query(serving.ownerUrl, 'SELECT value FROM kept'), [{ value: 7 }])
  await serving.release()
  t.notOk(await exists(pidFile), 'the server is stopped')
})

await t.test('a copy of the data folder opens, whatever its path, owner and rights are', async (t) => {
  const copy = join(await temporaryFolder(0o755), `"$HOME" and 'it\`s'`)
  t.equal(spawnSync('cp', ['-r', dataDir, copy]).status, 0)
  await chmod(join(copy, 'postgres'), 0o755)
  const db = await open('visit', copy)
  t.strictSame(await query(db.ownerUrl, 'SELECT 1 AS one'), [{ one: 1 }])
  await db.release()
  t.equal((await stat(join(copy, 'postgres'))).mode & 0o777, 0o750)
})

await t.test('a failed start is explained in one line', async (t) => {
  await t.test('a setting that PostgreSQL refuses', async (t) => {
    const opening = openEmbeddedDatabase({ dataDir, purpose: 'visit', settings: { shared_buffers: "it's" } })
    const reason = `invalid value for parameter "shared_buffers": "it's"`
    t.equal(await startupFault(opening), `PostgreSQL does not start in ${clusterDir}: ${reason}`)
  })

  await t.test('a data folder that is a file', async (t) => {
    const file = join(dirname(dataDir), 'file')
    await writeFile(file, '')
    t.equal(await startupFault(open('visit', file)), `the data folder ${file} is not a folder`)
    t.match(await startupFault(open('visit', join(file, 'data'))), /is not a folder$/)
  })

  await t.test('a data folder that cannot be written', { skip: isRoot && 'root writes everywhere' }, async (t) => {
    const folder = await temporaryFolder(0o555)
    t.match(await startupFault(open('visit', folder)), /is not writable/)
  })

  await t.test('a cluster whose passwords are lost', async (t) => {
    const record = join(dataDir, 'database.json')
    const kept = await readFile(record)
    await rm(record)
    t.equal(await startupFault(open('visit')), `${record}, which holds the passwords of ${clusterDir}, is missing`)
    await writeFile(record, kept, { mode: 0o600 })
  })

  await t.test('an empty postmaster.pid, as after a crash of the machine', async (t) => {
    await writeFile(pidFile, '')
    t.match(
      await startupFault(open('visit')),
      `${pidFile} is empty, as after a crash of the machine: delete it, unless`,
    )
    await rm(pidFile)
  })

  await t.test('a full disk', { skip: !canMount && 'nothing can be mounted here' }, async (t) => {
    const disk = await temporaryFolder(0o755)
    t.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]).status, 0)
    t.teardown(() => spawnSync('umount', [disk]))
    const full = join(disk, 'data')
    spawnSync('cp', ['-a', dataDir, full])
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'rest')}`, 'bs=1M'])
    t.equal(await startupFault(open('visit', full)), `PostgreSQL does not start in ${full}/postgres: the disk is full`)
  })

  await t.test('a cluster made by another major version', async (t) => {
    await writeFile(join(clusterDir, 'PG_VERSION'), '17\n')
    t.match(await startupFault(open('visit')), /was made by PostgreSQL 17, but this program runs PostgreSQL 18/)
  })
})

await t.test('a data folder that PostgreSQL cannot reach', { skip: !isRoot && 'needs root' }, async (t) => {
  const privateDir = join(await temporaryFolder(0o700), 'data')
  const db = await open('visit', privateDir)
  t.teardown(() => removeMovedCluster(db.clusterDir))
  t.equal(db.movedTo, db.clusterDir, 'the message says that the cluster moved')
  t.notOk(db.clusterDir.startsWith(privateDir))
  await query(db.ownerUrl, 'CREATE TABLE kept ()')
  await db.release()

  const again = await open('visit', privateDir)
  t.equal(again.clusterDir, db.clusterDir, 'the next start finds it')
  t.same(await query(again.ownerUrl, 'SELECT * FROM kept'), [])
  await again.release()
})

async function removeMovedCluster(moved: string): Promise<void> {
  await endServer(moved)
  const folder = dirname(moved)
  await rm(folder, { recursive: true })
  // The folder is shared, so remove it only when it is empty.
  await rmdir(dirname(folder)).catch(() => undefined)
}
