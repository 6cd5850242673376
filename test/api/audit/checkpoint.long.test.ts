import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createSigner } from '../../../src/bootstrap/keys.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import {
  type Checkpoint,
  parseCheckpoints,
  checkSignature,
  parseVerifierKey,
} from '../../../src/ledger/audit/signed-note.ts'
import type { Frontier } from '../../../src/ledger/integrity/merkle.ts'
import { appendLeaves, EMPTY_FRONTIER, leafHash, packFrontier, rootOf } from '../../../src/ledger/integrity/merkle.ts'
import { asSuperuser } from '../../support/postgres/as-superuser.ts'
import type { Answer, Service } from '../../support/service.ts'
import { employee, send, startService } from '../../support/service.ts'
import { deriveEnvelope } from '../../../src/ledger/integrity/codec.ts'

const ask = ({ address, company }: Service, route: string): Promise<Answer> =>
  send(address, 'GET', `/audit/v1/${route}`, {
    key: null,
    headers: { authorization: `Bearer ${company.auditor.token}` },
  })

async function checkpointOf(service: Service): Promise<{ checkpoint: Checkpoint; answer: Answer }> {
  const answer = await ask(service, 'checkpoint')
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return { checkpoint: parseCheckpoints(answer.body.note)![0]!, answer }
}

const addEmployee = (service: Service) => service.call('POST', '/v1/employees', { body: employee() })

/** Stores the current checkpoint outside the database, as the recorder does. */
async function keepCheckpoint(service: Service): Promise<Checkpoint> {
  const { checkpoint, answer } = await checkpointOf(service)
  await (await createSigner(service.config)).files.append(service.company.id, answer.body.note)
  return checkpoint
}

/** The frontier of the stored events. */
async function readFrontier({ db, company }: Service): Promise<Frontier> {
  const id = toUuid(company.id)
  const rows = await db.selectFrom('events').selectAll().where('company_id', '=', id).orderBy('position').execute()
  const leaves = rows.map((row) => leafHash(deriveEnvelope(row)))
  return appendLeaves(EMPTY_FRONTIER, leaves)
}

/** Sets the head to match the stored events. */
async function setHead(service: Service): Promise<void> {
  const frontier = await readFrontier(service)
  await asSuperuser(
    service.urls.superUrl,
    `update heads set position = ${frontier.size}, frontier = '\\x${packFrontier(frontier).toString('hex')}'
     where company_id = '${toUuid(service.company.id)}'`,
  )
}

async function refusedWith(t: Test, service: Service, detail: RegExp): Promise<void> {
  const { status, body, headers } = await ask(service, 'checkpoint')
  t.equal(status, 503)
  t.equal(body.code, 'unavailable')
  t.match(body.detail, detail)
  t.ok(headers['retry-after'])
}

await t.test('a checkpoint is the current head, signed with the published key', async (t) => {
  const service = await startService(t)
  const first = await checkpointOf(service)
  await addEmployee(service)
  const { checkpoint, answer } = await checkpointOf(service)
  const frontier = await readFrontier(service)
  const { size } = frontier
  const root = rootOf(frontier).toString('base64')
  t.equal(checkpoint.size, first.checkpoint.size + 2)
  const { note, public_key: publicKey } = answer.body
  t.strictSame(answer.body, { position: size, root, note, public_key: publicKey, witnessed: null })
  t.strictSame(
    [checkpoint.origin, checkpoint.size, checkpoint.root.toString('base64')],
    [`employee-ledger/${service.company.id}`, size, root],
  )
  t.equal(checkSignature(checkpoint.note, [parseVerifierKey(answer.body.public_key)!]), 'signed')
  t.strictSame((await ask(service, 'keys')).body, {
    items: [{ public_key: answer.body.public_key, status: 'current' }],
    next_cursor: null,
  })
})

await t.test('without a signing key there is a clear 503, and no key is published', async (t) => {
  const service = await startService(t, { SIGNING_KEY: '' })
  await refusedWith(t, service, /^This service does not sign checkpoints: no signing key is set$/)
  t.strictSame((await ask(service, 'keys')).body.items, [])
})

await t.test('a retired key is still published, and the notes it signed are continued', async (t) => {
  const folder = t.testdir()
  const file = path.join(folder, 'key.pem')
  const newKey = () =>
    writeFileSync(file, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  newKey()
  const service = await startService(t, { SIGNING_KEY: '', SIGNING_KEY_FILE: file })
  const { answer } = await checkpointOf(service)
  await keepCheckpoint(service)
  const typed = answer.body.public_key.split('+').slice(2).join('+')
  newKey()
  const unknowing = await createSigner(service.config)
  await t.rejects(unknowing.sign(service.db, service.company.id), {
    name: 'NoteFileError',
    message: /signed with the current key or a retired one/,
  })
  writeFileSync(`${file}.retired`, `${typed}\n`)
  const knowing = await createSigner(service.config)
  t.strictSame(knowing.publicKeys(service.company.id).retired, [answer.body.public_key])
  t.ok(await knowing.sign(service.db, service.company.id))
})

await t.test('a ledger restored to an older state is not signed until its events are back', async (t) => {
  const service = await startService(t)
  const id = toUuid(service.company.id)
  await addEmployee(service)
  const { size } = await keepCheckpoint(service)
  const { superUrl } = service.urls
  await asSuperuser(
    superUrl,
    `create table kept as select * from events where company_id = '${id}' and position > ${size - 2}`,
  )
  await asSuperuser(superUrl, `delete from events where company_id = '${id}' and position > ${size - 2}`)
  await setHead(service)
  await refusedWith(
    t,
    service,
    new RegExp(`ends at position ${size - 2}, but its last external checkpoint is at position ${size}`),
  )
  await asSuperuser(superUrl, 'insert into events select * from kept')
  await setHead(service)
  t.equal((await checkpointOf(service)).checkpoint.size, size)
})

await t.test('a ledger that diverged from its checkpoint is not signed, whatever its length', async (t) => {
  const service = await startService(t)
  const id = toUuid(service.company.id)
  await addEmployee(service)
  const { size } = await keepCheckpoint(service)
  await asSuperuser(service.urls.superUrl, `delete from events where company_id = '${id}' and position > ${size - 2}`)
  await asSuperuser(service.urls.superUrl, `delete from employee_directory`)
  await setHead(service)
  for (let added = 0; added < 3; added += 1) {
    await addEmployee(service)
    await refusedWith(t, service, new RegExp(`differs from its last external checkpoint at position ${size}`))
  }
})

await t.test('a ledger whose events do not match its head is not signed', async (t) => {
  const service = await startService(t)
  const { size } = await keepCheckpoint(service)
  await addEmployee(service)
  await asSuperuser(
    service.urls.superUrl,
    `update events set leaf_hash = sha256('x') where company_id = '${toUuid(service.company.id)}' and position = ${size + 1}`,
  )
  await refusedWith(t, service, /has events that do not match its head/)
})

await t.test('unreadable notes stop the signing, and the error does not reveal their path', async (t) => {
  const service = await startService(t)
  mkdirSync(path.join(service.config.DATA_DIR, 'checkpoints', `${service.company.id}.notes`), { recursive: true })
  const { body } = await ask(service, 'checkpoint')
  t.equal(body.code, 'unavailable')
  t.notMatch(JSON.stringify(body), service.config.DATA_DIR)
  t.equal((await ask(service, 'keys')).status, 200, 'the server still answers')
})
