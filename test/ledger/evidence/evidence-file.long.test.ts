import path from 'node:path'
import t from 'tap'
import { createSigner } from '../../../src/bootstrap/keys.ts'
import { planEvidence, writeEvidence } from '../../../src/evidence/evidence-file.ts'
import { addSum } from '../../../src/ledger/evidence/shared-proof.ts'
import { readMe } from '../../../src/pages/evidence/read-me.ts'
import { cosignNote, makeWitnessKey } from '../../support/witnesses/cosign.ts'
import { openAppends } from '../../support/ledger/appends.ts'
import { uploadCall } from '../../support/ledger/calls.ts'
import { startService } from '../../support/service.ts'
import {
  changeByte,
  downloadEvidence,
  forgeManifest,
  makeHistory,
  runVerifier,
  unpack,
  verifyVariants,
  writeFiles,
} from '../../support/ledger/evidence.ts'

const service = await startService(t)
const { company, db, pool } = service
const folder = t.testdir()
const at = (name: string) => path.join(folder, name)
const linesOf = (text: string) => text.split('\n').slice(0, -1)
const envelopesOf = (files: Record<string, string>) =>
  linesOf(files['events.ndjson']!).map((line) => JSON.parse(JSON.parse(line).envelope))

async function arrayOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

const ana = await makeHistory(service, 'Ana')
const archive = await downloadEvidence(service, `employee=${ana.id}`)
const files = await unpack(archive)
writeFiles(at('ana'), files)
const key = files['key.txt']!.trim()

await t.test('the verifier in the file says what it proves, with nothing but Python', async (t) => {
  const { status, told } = runVerifier(at('ana'))
  const { position } = (await service.audit('/checkpoint')).body
  const head = new Intl.NumberFormat('en').format(position)
  t.match(
    told,
    new RegExp(
      `^8 of 8 events are in the ledger of Acme at ${head} events, signed \\d+ \\w+ \\d{4} by key [0-9a-f]{8}\n`,
    ),
  )
  t.match(told, /\nthe key is the one in the file: compare it/)
  t.equal(status, 0)
  t.notMatch(runVerifier(at('ana'), ['--key', key]).told, 'the key is the one in the file')
  const other = (await service.makeCompany('Other')).id
  const foreign = await downloadEvidence(service, 'from=2020-01-01T00:00:00Z', await service.makeCompany('Else'))
  t.ok(other)
  const wrong = (await unpack(foreign))['key.txt']!.trim()
  t.match(runVerifier(at('ana'), ['--key', wrong]), {
    status: 4,
    told: 'unverifiable in checkpoint.txt: the checkpoint is not signed with any of the given keys',
  })
})

await t.test('under a policy of witnesses, the checkpoint must have their cosignatures', async (t) => {
  const [one, two] = [makeWitnessKey('witness.example/w1'), makeWitnessKey('witness.example/w2')]
  const policy = [one, two].flatMap(({ verifierKey }) => ['--witness', verifierKey])
  t.match(runVerifier(at('ana'), policy), {
    status: 4,
    told: 'unverifiable in checkpoint.txt: no checkpoint is cosigned by 2 of the given witnesses',
  })
  const cosigned = { ...files, 'checkpoint.txt': cosignNote(files['checkpoint.txt']!, one) }
  writeFiles(at('cosigned'), { ...cosigned, 'manifest.json': forgeManifest(cosigned) })
  t.match(runVerifier(at('cosigned'), policy), { status: 4 })
  t.match(runVerifier(at('cosigned'), [...policy, '--quorum', '1']), { status: 0, told: /, and witnessed\n/ })
})

await t.test(
  'a file about an employee has their events, what was refused, and the ends of all of these calls',
  async (t) => {
    t.strictSame(
      envelopesOf(files).map(({ type }) => type),
      [
        'EmployeeCreated',
        'ApiCallCompleted',
        'EmployeeUpdated',
        'ApiCallCompleted',
        'EmployeeRecordRejected',
        'ApiCallFailed',
        'EmployeeRecordRejected',
        'ApiCallFailed',
      ],
    )
    t.ok(envelopesOf(files).every((event) => event.stream === ana.id || event.call_id !== null))
  },
)

await t.test('the readable page tells the events in sentences, with positions and leaf hashes', async (t) => {
  const page = files['READ-ME.html']!
  t.match(page.replaceAll('&#39;', "'"), `http-equiv="content-security-policy" content="default-src 'none'; style-src`)
  const events = envelopesOf(files)
  const proofs = linesOf(files['proof.ndjson']!).map((line) => JSON.parse(line))
  t.match(page, `Evidence about \u2068Ana Remarkable\u2069 (${ana.id})`)
  t.match(page, '<bdi>HR sync</bdi> created <bdi>Ana Remarkable</bdi>')
  for (const [number, { position }] of events.entries()) {
    t.match(page, `<th scope="row">${position}</th>`)
    t.match(page, `<code>${proofs[number].leaf}</code>`)
  }
  for (const heading of ['What is proven, if it verifies', 'What is not proven']) t.match(page, heading)
  t.notMatch(page, /<a |<script|src=|href=/, 'needs nothing but itself')
})

await t.test('files about a call, a period and the whole ledger verify, too', async (t) => {
  const ofCall = await unpack(await downloadEvidence(service, `call=${ana.logId}`))
  t.strictSame(
    envelopesOf(ofCall).map(({ type }) => type),
    ['EmployeeCreated', 'EmployeeCreated', 'ApiCallCompleted'],
  )
  const [first, last] = [envelopesOf(files)[0], envelopesOf(files).at(-1)]
  const ofPeriod = await unpack(await downloadEvidence(service, `from=${first.recorded_at}&to=${last.recorded_at}`))
  const positions = envelopesOf(ofPeriod).map(({ position }) => position)
  t.equal(positions.length, positions.at(-1) - positions[0] + 1)
  const whole = await unpack(await downloadEvidence(service, ''))
  t.equal(envelopesOf(whole)[0].type, 'CompanyRegistered')
  for (const [name, made] of Object.entries({ ofCall, ofPeriod, whole })) {
    t.match(runVerifier(writeFiles(at(name), made)), { status: 0, told: `${envelopesOf(made).length} of ` }, name)
  }
})

await t.test('a file about an upload has its file name, which is no part of the call', async (t) => {
  const { commit } = openAppends(t, service)
  const upload = uploadCall(company, [{ first_name: 'Eve', last_name: 'Upload', email: 'eve@example.com' }], {
    fileName: 'people.csv',
  })
  await commit([upload])
  const made = await unpack(await downloadEvidence(service, `call=${upload.callId}`))
  t.strictSame(
    envelopesOf(made).map(({ type }) => type),
    ['EmployeeCreated', 'ApiCallCompleted', 'FileUploaded'],
  )
  t.match(runVerifier(writeFiles(at('upload'), made)), { status: 0 })
  const [{ stream }] = envelopesOf(made)
  const ofEmployee = await unpack(await downloadEvidence(service, `employee=${stream}`))
  t.strictSame(
    envelopesOf(ofEmployee).map(({ type }) => type),
    ['EmployeeCreated', 'ApiCallCompleted'],
    'the name of a file is only in the files of people whom it names',
  )
})

await t.test('one changed byte in any file is refused, and the file and the line are named', async (t) => {
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const places = [0, bytes.length >> 1, bytes.length - 1]
    const verdicts = verifyVariants(
      at('ana'),
      places.map((place) => ({ [name]: changeByte(bytes, place) })),
    )
    for (const [number, { kind, place }] of verdicts.entries()) {
      t.not(kind, 'consistent', name)
      const line = bytes.subarray(0, places[number]).toString('latin1').split('\n').length
      t.equal(place, name.endsWith('.ndjson') ? `${name}, line ${line}` : name, `byte ${places[number]}`)
    }
  }
})

await t.test('whoever writes the manifest again, too, is still found out', async (t) => {
  const lines = linesOf(files['events.ndjson']!)
  const proofs = linesOf(files['proof.ndjson']!)
  const forge = (change: Record<string, string>) => {
    const forged = { ...files, ...change }
    const all = { ...change, 'manifest.json': forgeManifest(forged) }
    return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, Buffer.from(text)]))
  }
  const join = (changed: string[]) => `${changed.join('\n')}\n`
  const emptied = lines.with(2, JSON.stringify({ ...JSON.parse(lines[2]!), data: null, salt: null }))
  const { sum: _, ...proof } = JSON.parse(proofs[2]!)
  const otherLeaf = proofs.with(2, addSum(JSON.stringify({ ...proof, leaf: JSON.parse(proofs[1]!).leaf })))
  const fewerHashes = proofs.with(2, addSum(JSON.stringify({ ...proof, before: proof.before.slice(1) })))
  const otherHash = proofs.with(2, addSum(JSON.stringify({ ...proof, before: proof.before.map(() => proof.leaf) })))
  const [verdictOfEmptied, verdictOfLeaf, verdictOfFewer, verdictOfHash, verdictOfCut] = verifyVariants(at('ana'), [
    forge({ 'events.ndjson': join(emptied) }),
    forge({ 'proof.ndjson': join(otherLeaf) }),
    forge({ 'proof.ndjson': join(fewerHashes) }),
    forge({ 'proof.ndjson': join(otherHash) }),
    forge({ 'events.ndjson': join(lines.slice(0, -1)) }),
  ])
  t.match(verdictOfEmptied, {
    kind: 'invalid',
    place: 'events.ndjson, line 3',
    sentence: 'no event in the file explains it',
  })
  t.match(verdictOfLeaf, { kind: 'invalid', place: 'events.ndjson, line 3' })
  t.match(verdictOfFewer, { kind: 'invalid', place: 'proof.ndjson, line 3' })
  t.match(verdictOfHash, { kind: 'diverged', place: 'proof.ndjson' })
  t.match(verdictOfCut, { kind: 'invalid', place: 'events.ndjson, line 8' })
})

await t.test('the same plan gives the same bytes', async (t) => {
  const services = { db, pool, signer: await createSigner(service.config), storyteller: readMe }
  const plan = await planEvidence(services, company.id, { kind: 'employee', id: ana.id })
  const make = async () => Buffer.concat(await arrayOf(writeEvidence(services, plan)))
  t.strictSame(await make(), await make())
})

await t.test('what was erased is not in a file, and the file explains it', async (t) => {
  const zoe = await makeHistory(service, 'Zoe')
  const erased = await service.manage('POST', '/erasures', { employee_id: zoe.id })
  t.equal(erased.status, 200)
  // The read model still has the person.
  const made = await unpack(await downloadEvidence(service, `employee=${zoe.id}`))
  for (const [name, text] of Object.entries(made)) t.notMatch(text, /Zoe|Remarkable/, name)
  t.notMatch(Object.values(made).join(), zoe.email)
  const types = envelopesOf(made).map(({ type }) => type)
  t.strictSame(types.at(-1), 'EmployeeErased')
  t.equal(types.filter((type) => type === 'EmployeeRecordRejected').length, 2, 'records that mentioned the person')
  const { told, status } = runVerifier(writeFiles(at('zoe'), made))
  t.equal(status, 0)
  t.match(told, '9 of 9 events are in the ledger of Acme')
  t.match(told, 'the data of 4 of them are erased; the events that erased them are in the file')
  const ofPeriod = await unpack(await downloadEvidence(service, `call=${zoe.logId}`))
  t.equal(envelopesOf(ofPeriod).at(-1).type, 'EmployeeErased', 'so that a call with erased data is explained')
  t.match(runVerifier(writeFiles(at('zoes-call'), ofPeriod)), { status: 0 })
})

await t.test('a file is not finished if data are erased while it is made', async (t) => {
  const services = { db, pool, signer: await createSigner(service.config), storyteller: readMe }
  const max = await makeHistory(service, 'Max')
  const plan = await planEvidence(services, company.id, { kind: 'employee', id: max.id })
  t.equal((await service.manage('POST', '/erasures', { employee_id: max.id })).status, 200)
  await t.rejects(arrayOf(writeEvidence(services, plan)), { name: 'ErasedMeanwhileError' })
})

await t.test('what is asked for is checked', async (t) => {
  const ask = async (query: string) => {
    const { status, body } = await service.audit(`/evidence${query}`)
    return [status, body.code]
  }
  t.strictSame(await ask(`?employee=${ana.id}&call=${ana.logId}`), [400, 'invalid_query'])
  t.strictSame(await ask('?employee=emp_1'), [400, 'invalid_query'])
  t.strictSame(await ask(`?employee=${ana.id.slice(0, -1)}${ana.id.endsWith('0') ? 1 : 0}`), [
    404,
    'employee_not_found',
  ])
  t.strictSame(await ask(`?call=log_${ana.id.slice(4)}`), [404, 'log_not_found'])
  t.strictSame(await ask('?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z'), [400, 'invalid_query'])
  const other = await service.makeCompany('Not theirs')
  t.equal((await service.audit(`/evidence?employee=${ana.id}`, other.auditor.token)).status, 404)
})
