import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { placeOfSecret, readProvider, addProvider } from '../../src/accounts/providers/providers.ts'
import { placeOfIdToken } from '../../src/accounts/sign-in/sign-in-through-provider.ts'
import { checkStoredSecrets, reencryptSecrets } from '../../src/accounts/stored-secrets/stored-secrets.ts'
import { rotateWebhookSecret, decryptSecret } from '../../src/accounts/webhooks/change-webhook.ts'
import { newId } from '../../src/ledger/new-id.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createSecretBox, readSecretKeys } from '../../src/accounts/secrets/secret-box.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { startService } from '../support/service.ts'
import { makeWebhook } from '../support/stored-webhooks.ts'

/* The rotation of the key that encrypts stored secrets, as operators do it, while the service runs. */

const service = await startService(t)
const { pool, db, company } = service
const file = path.join(path.dirname(makeDataDir(t)), 'secrets-key')
const SETTINGS = { DATABASE_URL: service.urls.serviceUrl, SECRETS_KEY_FILE: file }

const openBox = async () => createSecretBox(await readSecretKeys({ file, missing: 'refuse' }))
const first = createSecretBox(await readSecretKeys({ file, missing: 'make' }))
const acting = { companyId: company.id, actor: company.admin.user_id }

/** The secret of a webhook and the one that it replaced, as a process with these keys reads them. */
async function read(box: typeof first, webhookId: string): Promise<string[]> {
  const { rows } = await pool.query<{ secret: Buffer; previous_secret: Buffer | null }>(
    'select secret, previous_secret from webhooks where company_id = $1 and webhook_id = $2',
    [toUuid(company.id), toUuid(webhookId)],
  )
  const { secret, previous_secret: previous } = rows[0]!
  return [secret, previous].flatMap((sealed) => (sealed ? [decryptSecret(box, sealed, webhookId)] : []))
}

const PROVIDER = {
  name: 'Okta',
  issuer: 'https://idp.example.com',
  client_id: 'ledger',
  creates_users: false,
  role_claim: null,
  roles: [],
}

/** Inserts a session that began at the provider and ends after this time. */
async function insertSession(box: typeof first, name: string, life: string): Promise<void> {
  await pool.query(
    `insert into sessions (company_id, session_hash, user_id, role, created_at, last_used, expires_at, user_agent,
       address, method, id_token)
     values ($1, sha256($3), $2, 'admin', now(), now(), now() + $4::interval, '', '', 'provider', $5)`,
    [
      ...[toUuid(company.id), toUuid(acting.actor), Buffer.from(name), life],
      box.encrypt('ID token', placeOfIdToken(acting.actor)),
    ],
  )
}

async function readIdToken(name: string): Promise<Buffer | null> {
  const text = 'select id_token from sessions where company_id = $1 and session_hash = sha256($2)'
  const { rows } = await pool.query<{ id_token: Buffer | null }>(text, [toUuid(company.id), Buffer.from(name)])
  return rows[0]!.id_token
}

/** Lets the newest key look this old, compared with the connections of the service. */
function setAge(seconds: number): void {
  const then = Date.now() / 1_000 - seconds
  utimesSync(file, then, then)
}

await t.test('a rotation of the key keeps every secret, and all processes that know both keys read them', async (t) => {
  const plain = await makeWebhook(service, first)
  const rotated = await makeWebhook(service, first)
  const services = { pool, newId, secrets: first }
  const overlap = await rotateWebhookSecret(services, acting, rotated.id, 3_600)
  const ended = await makeWebhook(service, first)
  const successor = await rotateWebhookSecret(services, acting, ended.id, 3_600)
  await pool.query('update webhooks set previous_expires_at = now() where webhook_id = $1', [toUuid(ended.id)])

  await addProvider({ pool, newId, secrets: first }, acting, PROVIDER, { clientAuth: 'client_secret', secret: 'pssst' })
  await insertSession(first, 'working', '1 hour')
  await insertSession(first, 'ended', '-1 hour')

  t.match(await runJson(t, ['secrets', 'add-key'], SETTINGS), { key_file: file })
  const both = await openBox()
  failsWithLine(t, await runCommand(t, ['secrets', 'drop-keys'], SETTINGS), 'stored secrets are under an older key (6)')
  setAge(86_400)
  const expected = { secrets: 6, reencrypted: 6, older: 0, unreadable: 0 }
  t.strictSame(await runJson(t, ['secrets', 'reencrypt'], SETTINGS), expected)
  t.strictSame(await runJson(t, ['secrets', 'reencrypt'], SETTINGS), { ...expected, reencrypted: 0 }, 'run twice')
  t.match(await runJson(t, ['secrets', 'drop-keys'], SETTINGS), { key_file: file })

  const newest = await openBox()
  for (const box of [both, newest]) {
    t.strictSame(await read(box, plain.id), [plain.secret])
    t.strictSame(await read(box, rotated.id), [overlap.secret, rotated.secret])
    t.strictSame(await read(box, ended.id), [successor.secret], 'a secret that has ended is deleted')
    const { id, secret } = (await readProvider(pool, company.id))!
    t.equal(box.decrypt(secret, placeOfSecret(id)), 'pssst')
    t.equal(box.decrypt((await readIdToken('working'))!, placeOfIdToken(acting.actor)), 'ID token')
    t.equal(await readIdToken('ended'), null, 'what only an ended session needs is deleted')
  }
  await t.rejects(read(first, plain.id), 'the old key alone reads nothing')
})

await t.test('nothing is encrypted again while a process runs that does not know the newest key', async (t) => {
  const box = await openBox()
  const { id, secret } = await makeWebhook(service, box)
  const connection = await pool.connect()
  t.teardown(() => connection.release())
  await runJson(t, ['secrets', 'add-key'], SETTINGS)
  setAge(0)
  const refusal = 'a process is running that began before the newest key was added; restart all processes first\n'
  failsWithLine(t, await runCommand(t, ['secrets', 'reencrypt'], SETTINGS), refusal)
  t.strictSame(await read(box, id), [secret])
  t.match(await runJson(t, ['secrets', 'reencrypt', '--force'], SETTINGS), { older: 0, unreadable: 0 })
  failsWithLine(t, await runCommand(t, ['secrets', 'drop-keys'], SETTINGS), refusal)
  t.strictSame(await read(await openBox(), id), [secret])
})

await t.test('two commands at once, beside a service that changes secrets, lose none', async (t) => {
  const older = await openBox()
  const webhooks = await Promise.all(Array.from({ length: 8 }, () => makeWebhook(service, older)))
  await runJson(t, ['secrets', 'add-key'], SETTINGS)
  const newest = await openBox()
  const services = { pool, newId, secrets: newest }
  const [changed] = await Promise.all([
    Promise.all(webhooks.slice(0, 4).map(({ id }) => rotateWebhookSecret(services, acting, id, 3_600))),
    reencryptSecrets(db, newest),
    reencryptSecrets(db, newest),
  ])
  t.match(await checkStoredSecrets(db, newest), { older: 0, unreadable: 0 })
  for (const [at, { id, secret }] of webhooks.entries())
    t.strictSame(await read(newest, id), at < 4 ? [changed[at]!.secret, secret] : [secret])
})

await t.test('secrets that cannot be read stay as they are, and the command says how many there are', async (t) => {
  const { exitCode, stdout } = await runCommand(t, ['secrets', 'reencrypt', '--json'], {
    DATABASE_URL: service.urls.serviceUrl,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  t.equal(exitCode, 1)
  t.match(JSON.parse(stdout), { secrets: 19, reencrypted: 0, older: 0, unreadable: 19 })
  t.match(await checkStoredSecrets(db, await openBox()), { unreadable: 0 })
})

await t.test('what cannot be done is refused in one line', async (t) => {
  const SECRETS_KEY = Buffer.alloc(32).toString('base64')
  const { DATABASE_URL } = SETTINGS
  const none = path.join(path.dirname(file), 'none')
  for (const name of ['add-key', 'drop-keys'])
    failsWithLine(
      t,
      await runCommand(t, ['secrets', name], { ...SETTINGS, SECRETS_KEY }),
      'the keys come from SECRETS_KEY; change that setting instead\n',
    )
  for (const name of ['add-key', 'reencrypt', 'drop-keys'])
    failsWithLine(
      t,
      await runCommand(t, ['secrets', name], { DATABASE_URL, SECRETS_KEY_FILE: none }),
      `the file of the secrets key, ${none}, does not exist\n`,
    )
  failsWithLine(
    t,
    await runCommand(t, ['secrets', 'reencrypt'], { DATABASE_URL, DATA_DIR: path.dirname(none) + '/nothing' }),
    'there is no key: set SECRETS_KEY_FILE or SECRETS_KEY\n',
  )
  writeFileSync(`${file}.lock`, '')
  failsWithLine(t, await runCommand(t, ['secrets', 'add-key'], SETTINGS), /another command is changing/)
})
