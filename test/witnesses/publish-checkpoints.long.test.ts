import { createReadStream, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { readWitnesses } from '../../src/bootstrap/witnesses.ts'
import { exportFrom } from '../../src/cli/audit/audit-export.ts'
import { checkWitnesses } from '../../src/cli/doctor/check-tables.ts'
import { readConfig } from '../../src/config.ts'
import {
  parseCheckpoints,
  findCosigners,
  makePolicy,
  parseWitnessKey,
  parseVerifierKey,
} from '../../src/ledger/audit/signed-note.ts'
import { splitLines } from '../../src/ledger/audit/export-lines.ts'
import { verifyExport } from '../../src/ledger/audit/verify-export.ts'
import { PUBLISH_CHECKPOINTS } from '../../src/workers/queues.ts'
import { eventually } from '../support/eventually.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { sendJob } from '../support/send-job.ts'
import { startService } from '../support/service.ts'
import { makeWitnessKey } from '../support/witnesses/cosign.ts'
import {
  addEvents,
  attentionOf,
  checkpointOf,
  introduce,
  passTime,
  progressOf,
  publishOnce,
  settingsOf,
  startWitnessed,
} from '../support/witnesses/publishing.ts'
import type { TestWitness } from '../support/witnesses/test-witness.ts'
import { sendVerdict, startWitness } from '../support/witnesses/test-witness.ts'

/** The names of the witnesses whose cosignatures of a note are valid. */
function cosignersOf(note: string, ...witnesses: TestWitness[]): string[] | null {
  const keys = witnesses.map(({ key }) => parseWitnessKey(key.verifierKey)!)
  const cosigners = findCosigners(parseCheckpoints(note)![0]!.note, keys)
  return cosigners && [...cosigners].map(({ name }) => name)
}

await t.test('a checkpoint is served with the cosignatures of the witnesses that have seen it', async (t) => {
  const witnesses = await Promise.all(['w1', 'w2', 'w3'].map((name) => startWitness(t, name)))
  const [w1, w2, w3] = witnesses as [TestWitness, TestWitness, TestWitness]
  const service = await startService(t, settingsOf(witnesses, 2))
  await introduce(service, w1, w2)
  const before = await checkpointOf(service)
  t.equal(before.witnessed, null)
  await publishOnce(service)
  const after = await checkpointOf(service)
  t.strictSame(cosignersOf(after.note, ...witnesses)?.toSorted(), [w1.key.name, w2.key.name])
  t.ok(after.note.startsWith(before.note), 'the note of 1.0.0 has got more lines')
  t.match(after.witnessed, { position: before.position, root: before.root })
  t.strictSame(cosignersOf(after.witnessed.note, ...witnesses)?.length, 2)

  await addEvents(service)
  const next = await checkpointOf(service)
  t.strictSame(cosignersOf(next.note, ...witnesses), [], 'nobody has seen the new head')
  t.strictSame(next.witnessed, after.witnessed)
  await introduce(service, w3)
  await passTime(service)
  await publishOnce(service)
  const last = await checkpointOf(service)
  t.equal(cosignersOf(last.note, ...witnesses)?.length, 3)
  t.equal(last.witnessed.position, next.position)
  for (const witness of witnesses)
    t.equal(witness.heads.get(`employee-ledger/${service.company.id}`)?.size, next.position)
})

await t.test('a ledger that has not changed is published once', async (t) => {
  const { witness, service } = await startWitnessed(t)
  for (let rounds = 0; rounds < 3; rounds += 1) await publishOnce(service)
  t.equal(witness.requests.length, 1)
})

await t.test('a witness proves each step from what it has seen before', async (t) => {
  const { witness, service } = await startWitnessed(t)
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await publishOnce(service)
    await addEvents(service)
  }
  await publishOnce(service)
  const sizes = witness.requests.map(({ size }) => size)
  t.strictSame(
    witness.requests.map(({ old }) => old),
    [0, ...sizes.slice(0, -1)],
  )
  t.strictSame(new Set(sizes).size, 6)
})

await t.test('a process that was killed right after the answer, or before it, changes nothing', async (t) => {
  const { witness, service, origin } = await startWitnessed(t)
  await publishOnce(service)
  await addEvents(service)
  // The witness remembers the checkpoint, and nobody gets its answer.
  witness.answer = (response, judge) => {
    judge()
    response.destroy()
  }
  await publishOnce(service)
  const { position } = await checkpointOf(service)
  t.equal(witness.heads.get(origin)?.size, position)
  t.equal((await checkpointOf(service)).witnessed.position, position - 2)
  witness.answer = null
  await passTime(service)
  await publishOnce(service)
  t.equal((await checkpointOf(service)).witnessed.position, position)
  t.match(await progressOf(service), [{ size: position, attempts: 0, fault: null }])
  // What the service knew is lost, and the ledger has gone on.
  await service.db.deleteFrom('witness_progress').execute()
  await addEvents(service)
  await publishOnce(service)
  t.equal((await checkpointOf(service)).witnessed.position, position + 2)
})

await t.test('two processes at once publish each checkpoint, and neither sees a fork', async (t) => {
  const { witness, service } = await startWitnessed(t)
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await addEvents(service)
    await passTime(service)
    await Promise.all([publishOnce(service), publishOnce(service)])
  }
  const { position, note, witnessed } = await checkpointOf(service)
  t.equal(witnessed.position, position)
  t.equal(note.split(witness.key.name).length, 2, 'there is one cosignature')
  // The claim of one has run out while it waits for the answer, and the other publishes what comes later.
  await addEvents(service)
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  witness.answer = async (response, judge) => {
    witness.answer = null
    arrive()
    await held
    sendVerdict(response, judge())
  }
  const slow = publishOnce(service)
  await arrived
  await addEvents(service)
  await passTime(service)
  await publishOnce(service)
  release()
  await slow
  await publishOnce(service)
  t.equal((await checkpointOf(service)).witnessed.position, position + 4)
  t.match(await progressOf(service), [{ size: position + 4, attempts: 0, fault: null }])
  t.strictSame(await attentionOf(service), [])
})

await t.test('of old checkpoints only those are kept that somebody may need', async (t) => {
  const witnesses = [await startWitness(t, 'w1'), await startWitness(t, 'w2')] as [TestWitness, TestWitness]
  const service = await startService(t, settingsOf(witnesses, 2))
  await introduce(service, ...witnesses)
  const sizes = async () =>
    (await service.db.selectFrom('cosigned_checkpoints').select('size').orderBy('size').execute()).map(
      ({ size }) => size,
    )
  await publishOnce(service)
  await addEvents(service)
  await publishOnce(service)
  const { position } = await checkpointOf(service)
  t.strictSame(await sizes(), [position])
  witnesses[1].close()
  for (let rounds = 0; rounds < 18; rounds += 1) {
    await addEvents(service)
    await publishOnce(service)
  }
  const kept = await sizes()
  t.equal(kept.length, 17)
  t.equal(kept[0], position, 'the newest that both have cosigned')
  t.equal((await checkpointOf(service)).witnessed.position, position)
})

await t.test('an export verifies against a policy, also if witnesses have not seen its end', async (t) => {
  const { witness, service } = await startWitnessed(t)
  await publishOnce(service)
  const { position } = await checkpointOf(service)
  await addEvents(service)
  const file = path.join(t.testdir(), 'acme.ndjson')
  await exportFrom({ config: service.config, store: service }, { company: service.company.id, out: file, after: 0 })
  const checkpoints = parseCheckpoints(readFileSync(`${file}.checkpoint`, 'utf8'))!
  t.strictSame(
    checkpoints.map(({ size }) => size),
    [position, position + 2],
  )
  const { body } = await service.audit('/keys')
  const verdict = await verifyExport(splitLines(createReadStream(file)), {
    checkpoints,
    keys: [parseVerifierKey(body.items[0].public_key)!],
    policy: makePolicy([parseWitnessKey(witness.key.verifierKey)!]),
  })
  t.match(verdict, { verdict: 'consistent', events: position + 2, signed_to: position + 2, witnessed_to: position })
})

await t.test('what the database says is believed only as far as keys verify it', async (t) => {
  const { witness, service } = await startWitnessed(t)
  await publishOnce(service)
  const { note, witnessed, position } = await checkpointOf(service)
  const stranger = await startWitness(t, 'w1')
  const setNote = (to: string) => service.db.updateTable('cosigned_checkpoints').set({ note: to }).execute()
  const [signed] = note.split(`— ${witness.key.name}`) as [string]
  for (const [what, stored] of [
    ['another root', note.replace(/\n[^\n]{43}=\n/, `\n${Buffer.alloc(32).toString('base64')}\n`)],
    ['a cosignature of another key', note.replaceAll(witness.key.name, stranger.key.name).replace(/.{20}=*\n$/, '\n')],
    ['no note', 'x'],
  ] as const) {
    await setNote(stored)
    const answer = await checkpointOf(service)
    t.strictSame([answer.note, answer.witnessed, answer.position], [signed, null, position], what)
  }
  await setNote(note)
  t.strictSame((await checkpointOf(service)).witnessed, witnessed)
})

await t.test('a worker publishes by itself, and serves administrators and operators what a witness says', async (t) => {
  const witness = await startWitness(t, 'w1')
  const service = await startService(t, witness.settings, { workers: true })
  await introduce(service, witness)
  const publish = () => sendJob(service.urls.serviceUrl, PUBLISH_CHECKPOINTS)
  await publish()
  await eventually('the checkpoint is witnessed', async () => (await checkpointOf(service)).witnessed !== null)
  t.match(await checkWitnesses(service.pool, 1), [{ level: 'ok', found: '1 configured, none fails' }])
  const name = `${witness.key.name}+${witness.key.id.toString('hex')}`

  await addEvents(service)
  witness.answer = (response) => response.writeHead(503).end()
  await publish()
  await eventually('a failure is known', async () => (await progressOf(service))[0]?.attempts === 1)
  const of = `the ledger of ${service.company.id}`
  const unavailable = { level: 'warn', found: `${name} has not cosigned ${of}, since ` }
  t.match(await checkWitnesses(service.pool, 1), [unavailable])

  witness.answer = (response) => response.writeHead(409).end('1000000\n')
  await passTime(service)
  await publish()
  await eventually('a dispute is known', async () => (await progressOf(service))[0]?.fault === 'conflict')
  t.match(await checkWitnesses(service.pool, 1), [{ level: 'fail', found: `${name} disputes ${of}, since ` }])
  const health = await browse(service, '/settings/health', { cookie: await cookieOf(service, service.company.admin) })
  t.match(health.text, /<bdi>witness\.example\/w1\+[0-9a-f]{8}<\/bdi> disputes the ledger/)
})

await t.test('settings that do not fit together are refused with the name of the setting', (t) => {
  const keys = ['w1', 'w2'].map((name) => makeWitnessKey(`witness.example/${name}`).verifierKey) as [string, string]
  const read = (settings: Record<string, string>) => () => readWitnesses(readConfig(settings))
  const urls = 'https://w1.example/a/,https://w2.example'
  const both = { WITNESS_URLS: urls, WITNESS_KEYS: keys.join(',') }
  t.match(read(both)(), { quorum: 2, submissions: [{ url: 'https://w1.example/a' }, { url: 'https://w2.example' }] })
  t.match(read({})(), { quorum: 0, submissions: [] })
  const wrong: [settings: Record<string, string>, message: RegExp][] = [
    [{ ...both, WITNESS_QUORUM: '3' }, /^WITNESS_KEYS and WITNESS_QUORUM: the quorum must be from 1 to 2/],
    [{ ...both, WITNESS_KEYS: keys[0] }, /^WITNESS_URLS has 2 addresses and WITNESS_KEYS 1 keys/],
    [{ ...both, WITNESS_KEYS: `${keys[0]},${keys[0]}` }, /^WITNESS_KEYS .*: two witnesses have the same public key/],
    [{ ...both, WITNESS_KEYS: `${keys[0]},x` }, /^WITNESS_KEYS: x is not the verifier key of a witness/],
    [{ ...both, WITNESS_URLS: 'ftp://w1,https://w2' }, /^WITNESS_URLS: ftp:\/\/w1 is not a URL/],
    [{ ...both, WITNESS_URLS: 'https://w1?a,https://w2' }, /^WITNESS_URLS: https:\/\/w1\?a is not a URL/],
  ]
  for (const [settings, message] of wrong) t.throws(read(settings), { message })
  t.end()
})
