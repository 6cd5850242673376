import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { checkClock } from '../../src/cli/doctor/check-server.ts'
import { diskFinding, modeFinding } from '../../src/cli/doctor/check-host.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import type { Environment } from '../support/processes/cli.ts'
import { makeDataDir, runCommand } from '../support/processes/cli.ts'
import { LOCALHOST_CERTIFICATE } from '../support/mail/localhost-certificate.ts'
import { startMailServer } from '../support/mail/mail-server.ts'
import { startDeafProxy } from '../support/lines/deaf-proxy.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { makeHistory } from '../support/rebuilding.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { createSigner } from '../../src/bootstrap/keys.ts'
import { readConfig } from '../../src/config.ts'
import { startService } from '../support/service.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { NAMES } from '../support/postgres/test-server.ts'

const KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const GIB = 1024 ** 3

const service = await startService(t)
await makeHistory(service, service.company, 1)
await service.project()
const { superUrl, serviceUrl, ownerUrl, name } = service.urls

/** A sound data folder with a key. */
function makePlace(t: Test): Environment {
  const DATA_DIR = makeDataDir(t)
  mkdirSync(path.join(DATA_DIR, 'checkpoints'), { recursive: true })
  const SIGNING_KEY_FILE = path.join(DATA_DIR, 'key.pem')
  writeFileSync(SIGNING_KEY_FILE, KEY, { mode: 0o600 })
  return { DATABASE_URL: serviceUrl, DATA_DIR, SIGNING_KEY_FILE }
}

interface Examined {
  exitCode: number | null
  verdict: string
  /** What a check found. */
  of(check: string): Finding | undefined
  levels: Record<string, string>
}

async function examine(t: Test, environment: Environment): Promise<Examined> {
  const { exitCode, stdout, stderr } = await runCommand(t, ['doctor', '--json'], environment)
  if (stderr !== '') throw new Error(stderr)
  const { verdict, findings } = JSON.parse(stdout) as { verdict: string; findings: Finding[] }
  for (const { level, advice, check } of findings)
    t.equal(advice === null, level === 'ok', `${check}: a fault comes with advice`)
  return {
    exitCode,
    verdict,
    of: (check) => findings.find((finding) => finding.check === check),
    levels: Object.fromEntries(
      findings.filter(({ check }) => !ofMachine.test(check)).map(({ check, level }) => [check, level]),
    ),
  }
}

/** What a cluster adds; test/postgres/cluster.long.test.ts examines it. */
const ofMachine = /^(ok {4}|fail {2})?machine /

const ALL = [
  ...[
    'signing key',
    'secrets key',
    'data folder',
    'disk',
    'checkpoint location',
    'connection',
    'pooler',
    'version',
    'encoding',
    'collation',
    'writes',
    'durability',
    'commits',
  ],
  ...[
    'server log',
    'checksums',
    'connections',
    'transaction ids',
    'clock',
    'size',
    'LISTEN',
    'migrations',
    'role',
    'append-only',
    'recorded times',
  ],
  ...['projection employees', 'projection bulk-user-logs', 'background work', 'stored secrets', 'checkpoints'],
]

await t.test('each check of an installation prints a line, with advice where something is wrong', async (t) => {
  await asSuperuser(
    superUrl,
    `alter database ${name} set log_error_verbosity = terse`,
    `alter database ${name} set synchronous_commit = on`,
  )
  const found = await examine(t, makePlace(t))
  const { disk: _, durability: durable, ...others } = found.levels
  t.strictSame(Object.keys(found.levels), ALL)
  // The test server is not durable, and its disk could be anything.
  t.equal(durable, 'fail')
  t.strictSame(
    Object.entries(others).filter(([, level]) => level !== 'ok'),
    [],
  )
  const { stdout, exitCode } = await runCommand(t, ['doctor'], makePlace(t))
  t.equal(exitCode, 1)
  t.equal(stdout.split('\n').filter((line) => line !== '' && !ofMachine.test(line)).length, ALL.length + 1)
  t.match(stdout, /^fail {2}durability: fsync.* → set fsync/m)
  t.match(found.of('disk')!.found, /checkpoints$/, "on the local disk; the database's disk is not mentioned")
  t.match(found.of('size')!.found, /^[0-9.]+ GiB; check the free space .* yourself$/)
  t.match(stdout, new RegExp(`^ok {4}role: ${NAMES.service} may only insert and read events$`, 'm'))
})

const sorting = await service.pool.query<{ version: string | null }>(
  'select pg_database_collation_actual_version(oid) as version from pg_database where datname = current_database()',
)
const versioned = sorting.rows[0]!.version === null ? { skip: 'the order of text has no version on this server' } : {}

await t.test(
  'a database whose indexes another version of the operating system has sorted is a failure',
  versioned,
  async (t) => {
    const setVersion = (version: string) =>
      asSuperuser(superUrl, `update pg_database set datcollversion = ${version} where datname = '${name}'`)
    await setVersion(`'0.1'`)
    const { of } = await examine(t, makePlace(t))
    const advice = `reindex database "${name}"; then: alter`
    t.match(of('collation'), { level: 'fail', found: /version 0\.1 /, advice })
    await setVersion('pg_database_collation_actual_version(oid)')
    t.match((await examine(t, makePlace(t))).of('collation'), { level: 'ok' })
  },
)

await t.test('each fault of the database is found, with advice', async (t) => {
  await asSuperuser(
    superUrl,
    ...['synchronous_commit = off', `log_error_verbosity = 'default'`].map(
      (setting) => `alter database ${name} set ${setting}`,
    ),
    'alter table events disable trigger events_are_append_only',
    `grant update on events to ${NAMES.service}`,
    `update checkpoints set parked_at = now() where projection = 'employees'`,
    `update checkpoints set position = 0 where projection = 'bulk-user-logs'`,
    `update events set recorded_at = '2020-01-01'`,
    `update heads set recorded_at = '2020-01-01'`,
  )
  const found = await examine(t, makePlace(t))
  t.equal(found.exitCode, 1)
  t.match(found.levels, {
    // On a cluster, the role's own setting counts.
    commits: CITUS_URL === undefined ? 'warn' : 'ok',
    'server log': 'warn',
    'append-only': 'fail',
    'projection employees': 'warn',
    checkpoints: 'warn',
  })
  t.match(found.of('role'), { level: 'fail', found: `${NAMES.service} may UPDATE events`, advice: /revoke UPDATE/ })
  t.match(found.of('projection employees')!.found, '1 company is parked')
  t.match(found.of('projection bulk-user-logs')!.found, /events behind in 1 company, the oldest for [0-9]+ s/)
  t.match(found.of('checkpoints')!.found, service.company.id)
  const asOwner = await examine(t, { ...makePlace(t), DATABASE_URL: ownerUrl })
  t.match(asOwner.of('role'), { level: 'warn', found: new RegExp(`^${NAMES.owner} owns the tables`) })
})

await t.test('checkpoints are not current while a company that is never idle gets none', async (t) => {
  const other = await startService(t)
  const examineOther = () => examine(t, { ...makePlace(t), DATABASE_URL: other.urls.serviceUrl })
  t.match((await examineOther()).of('checkpoints'), { level: 'ok' })
  await asSuperuser(other.urls.superUrl, `update events set recorded_at = '2020-01-01' where position = 1`)
  t.match((await examineOther()).of('checkpoints'), { level: 'warn', found: other.company.id })
})

await t.test('a database rolled back behind an external checkpoint is a failure', async (t) => {
  const place = makePlace(t)
  const other = await startService(
    t,
    { SIGNING_KEY: KEY, DATA_DIR: place['DATA_DIR']!, CHECKPOINT_INTERVAL_MS: '100' },
    { workers: true },
  )
  const environment = { ...place, DATABASE_URL: other.urls.serviceUrl }
  await eventually('a checkpoint is outside', async () =>
    existsSync(path.join(place['DATA_DIR']!, 'checkpoints', `${other.company.id}.notes`)),
  )
  await asSuperuser(other.urls.superUrl, 'update heads set position = 0')
  const damaged = await examine(t, environment)
  t.match(damaged.of('checkpoints'), { level: 'fail', found: `${other.company.id}: the frontier` })
  await asSuperuser(other.urls.superUrl, `update heads set frontier = ''`)
  const found = await examine(t, environment)
  t.match(found.of('checkpoints'), { level: 'fail', found: /it was rolled back or changed/ })
  // As after a restore to a time before the company existed.
  await asSuperuser(other.urls.superUrl, 'delete from heads')
  const gone = await examine(t, environment)
  t.match(gone.of('checkpoints'), { level: 'fail', found: `The ledger of ${other.company.id} ends at position 0` })
})

await t.test('a line that swallows notifications is found', async (t) => {
  const found = await examine(t, { ...makePlace(t), DATABASE_URL: await startDeafProxy(t, serviceUrl) })
  t.match(found.of('LISTEN'), { level: 'fail', found: /^notifications do not arrive/ })
})

await t.test(
  "future timestamps left by a database clock that jumped are found, and so is a clock unlike this machine's",
  async (t) => {
    const other = await startService(t)
    await asSuperuser(other.urls.superUrl, `update heads set recorded_at = now() + interval '1 hour'`)
    const found = await examine(t, { ...makePlace(t), DATABASE_URL: other.urls.serviceUrl })
    t.equal(found.exitCode, 1)
    t.match(found.of('recorded times'), {
      level: 'fail',
      found: /^1 company has .* up to 3[56][0-9][0-9] s ahead/,
      advice: /RecordedTimeAhead/,
    })
    const clockAt = (ms: number) =>
      checkClock({ query: async () => ({ rows: [{ ms: Date.now() + ms }] }) } as unknown as pg.Pool)
    t.match(await clockAt(60_000), { level: 'warn', found: "the database clock is 60 s ahead of this machine's" })
    t.match(await clockAt(-60_000), { level: 'warn', found: "the database clock is 60 s behind this machine's" })
  },
)

await t.test('too few connections for one process of each kind are reported', async (t) => {
  const found = await examine(t, { ...makePlace(t), POOL_SIZE: '200' })
  t.match(found.of('connections'), {
    level: 'warn',
    found: /^an API process opens up to 218 connections and a worker up to 220; the server allows [0-9]+$/,
  })
})

await t.test('wrong settings of witnesses are one failure, which says what to correct', async (t) => {
  const listFailed = ({ levels }: Examined) => Object.keys(levels).filter((check) => levels[check] === 'fail')
  const others = listFailed(await examine(t, makePlace(t)))
  for (const wrong of [{ WITNESS_URLS: 'https://witness.example' }, { WITNESS_QUORUM: '2' }]) {
    const found = await examine(t, { ...makePlace(t), ...wrong })
    t.strictSame(listFailed(found), ['witnesses', ...others])
    t.match(found.of('witnesses'), { found: /^WITNESS_/, advice: /^correct WITNESS_/ })
  }
})

await t.test('faults outside the database are found', async (t) => {
  const place = makePlace(t)
  chmodSync(place['SIGNING_KEY_FILE']!, 0o644)
  const found = await examine(t, { ...place, CHECKPOINT_DIR: path.join(place['DATA_DIR']!, 'none') })
  t.match(found.of('signing key'), { level: 'warn', found: /mode 644/, advice: /^chmod 600/ })
  t.match(found.of('checkpoint location'), { level: 'warn', found: /none does not exist/ })
  t.match((await examine(t, { ...place, SIGNING_KEY_FILE: '' })).of('signing key'), {
    level: 'warn',
    found: /does not exist/,
  })
  t.equal(diskFinding('/d', { free: 30 * GIB, total: 40 * GIB }, 'every write').level, 'ok')
  t.equal(diskFinding('/d', { free: 3 * GIB, total: 400 * GIB }, 'every write').level, 'warn')
  t.match(diskFinding('/d', { free: 0.2 * GIB, total: 0.5 * GIB }, 'every write'), {
    level: 'fail',
    advice: /stops every write$/,
  })
})

await t.test('a signing key that cannot be used, or is another one than signed before, is a failure', async (t) => {
  const place = makePlace(t)
  const SIGNING_KEY_FILE = place['SIGNING_KEY_FILE']!
  const signer = await createSigner(readConfig(place))
  const { note } = await signer.sign(service.db, service.company.id)
  await signer.files.append(service.company.id, note)
  t.match((await examine(t, place)).levels, { 'signing key': 'ok', checkpoints: 'ok' })
  const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })
  writeFileSync(SIGNING_KEY_FILE, other)
  t.match((await examine(t, place)).of('checkpoints'), {
    level: 'fail',
    found: /is not signed with the current key/,
    advice: /^restore the key that signed it/,
  })
  const old = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  for (const [text, found] of [
    ['not a key', /does not contain a private key/],
    [old, /is not an Ed25519 key/],
  ] as const) {
    writeFileSync(SIGNING_KEY_FILE, text)
    t.match((await examine(t, place)).of('signing key'), { level: 'fail', found })
  }
  rmSync(SIGNING_KEY_FILE)
  t.match((await examine(t, place)).of('signing key'), { level: 'fail', found: /does not exist/ })
})

await t.test('secrets that the keys cannot read, or read with an older key only, are found', async (t) => {
  const other = await startService(t)
  const place = { ...makePlace(t), DATABASE_URL: other.urls.serviceUrl }
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const withKeys = async (...keys: Buffer[]) => {
    const SECRETS_KEY = keys.map((key) => key.toString('base64')).join(',')
    return (await examine(t, { ...place, SECRETS_KEY })).of('stored secrets')
  }
  t.match(await withKeys(older), { level: 'ok', found: 'there are none' })
  const { id } = await makeWebhook(other, createSecretBox([older]))
  t.match(await withKeys(older), { level: 'ok', found: '1 under the newest key' })
  t.match(await withKeys(newer, older), { level: 'warn', found: /^1 of 1 are under an older/ })
  t.match(await withKeys(newer), {
    level: 'fail',
    found: `1 of 1 cannot be read, for example: webhook secret of ${id}`,
  })
  t.match((await examine(t, place)).of('stored secrets'), { level: 'fail', found: /^there is no key/ })
})

await t.test('a file of the secrets key that others can read, or that is missing or damaged, is found', async (t) => {
  const place = makePlace(t)
  const SECRETS_KEY_FILE = path.join(place['DATA_DIR']!, 'secrets-key')
  const missing = await examine(t, { ...place, SECRETS_KEY_FILE })
  t.match(missing.of('stored secrets'), { level: 'fail', found: `${SECRETS_KEY_FILE}, does not exist` })
  t.notOk(existsSync(SECRETS_KEY_FILE), 'doctor makes none')
  writeFileSync(SECRETS_KEY_FILE, 'nonsense', { mode: 0o644 })
  const found = await examine(t, { ...place, SECRETS_KEY_FILE })
  const fault = { level: 'fail', found: `key 1 of ${SECRETS_KEY_FILE} is not 32 bytes` }
  t.match([found.of('secrets key'), found.of('stored secrets')], [fault, fault])
  writeFileSync(SECRETS_KEY_FILE, randomBytes(32).toString('base64'))
  const readable = await examine(t, { ...place, SECRETS_KEY_FILE })
  t.match(readable.of('secrets key'), { level: 'warn', found: /mode 644/, advice: /^chmod 600/ })
})

await t.test("a key's file may be read by its owner, and where it is root's by its group", async (t) => {
  const levelOf = (uid: number, mode: number) => modeFinding('key', '/key', { uid, mode }).level
  for (const mode of [0o400, 0o600]) for (const uid of [0, 1000]) t.equal(levelOf(uid, mode), 'ok')
  for (const mode of [0o440, 0o640]) t.strictSame([levelOf(0, mode), levelOf(1000, mode)], ['ok', 'warn'])
  for (const mode of [0o444, 0o460, 0o604, 0o602]) t.equal(levelOf(0, mode), 'warn')
})

await t.test('the SMTP server is asked whether it accepts the credentials, and gets no message', async (t) => {
  const server = await startMailServer(t)
  const place = makePlace(t)
  const ca = path.join(place['DATA_DIR']!, 'ca.pem')
  writeFileSync(ca, LOCALHOST_CERTIFICATE)
  const settings = {
    ...place,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    NODE_EXTRA_CA_CERTS: ca,
    SMTP_URL: server.url,
    MAIL_FROM: 'ledger@ledger.example',
    PUBLIC_URL: 'https://ledger.example',
  }
  t.match((await examine(t, settings)).of('email'), { level: 'ok', found: /accepts the credentials$/ })
  const wrong = { ...settings, SMTP_URL: server.url.replace('ledger:', 'other:') }
  t.match((await examine(t, wrong)).of('email'), { level: 'fail', found: /did not accept the credentials/ })
  t.match((await examine(t, { ...settings, SECRETS_KEY: '' })).of('email'), { level: 'fail', found: /SECRETS_KEY/ })
  t.equal((await examine(t, makePlace(t))).of('email'), undefined)
  t.strictSame(server.received, [])
})

await t.test('a missing or empty database is a failure, and everything else is still checked', async (t) => {
  const place = makePlace(t)
  const gone = await examine(t, { ...place, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  t.match(gone, { exitCode: 1, verdict: 'fail', levels: { connection: 'fail', 'signing key': 'ok' } })
  const empty = await examine(t, { ...place, DATABASE_URL: (await createEmptyDatabase(t)).serviceUrl })
  t.match(empty.of('migrations'), { level: 'fail', advice: /cli -- migrate/ })
  t.equal(empty.of('role'), undefined)
})

await t.test(
  "the exit code is 0 when all is well, 3 for warnings alone (checkpoints on the database's disk), 2 for wrong usage",
  async (t) => {
    const DATA_DIR = makeDataDir(t)
    const made = await runCommand(t, ['company', 'list'], { DATA_DIR })
    t.equal(made.exitCode, 0)
    mkdirSync(path.join(DATA_DIR, 'checkpoints'))
    writeFileSync(path.join(DATA_DIR, 'signing-key.pem'), KEY, { mode: 0o600 })
    const found = await examine(t, { DATA_DIR })
    t.match(found.of('checkpoint location'), { level: 'warn', found: /is on the disk of the database/ })
    t.equal(found.levels['durability'], 'ok')
    const isRoomy = found.levels['disk'] === 'ok'
    if (isRoomy) t.match(found, { exitCode: 3, verdict: 'warn' })
    // An in-memory disk, which every Linux has.
    const CHECKPOINT_DIR = mkdtempSync('/dev/shm/ledger-doctor-')
    t.teardown(() => rmSync(CHECKPOINT_DIR, { recursive: true }))
    const well = await examine(t, { DATA_DIR, CHECKPOINT_DIR })
    t.match(well.of('checkpoint location'), { level: 'ok' })
    if (isRoomy) t.match(well, { exitCode: 0, verdict: 'ok' })
    t.equal((await runCommand(t, ['doctor', '--yaml'], { DATA_DIR })).exitCode, 2)
  },
)
