import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import {
  parseCheckpoints,
  findCosigners,
  makePolicy,
  parseWitnessKey,
  parseVerifierKey,
} from '../../../src/ledger/audit/signed-note.ts'
import { verifyExport } from '../../../src/ledger/audit/verify-export.ts'
import { hasPython } from '../../support/ledger/both-verifiers.ts'
import { readFrozen } from '../../support/ledger/frozen-ledger.ts'
import { cosign, cosignNote, makeWitnessKey } from '../../support/witnesses/cosign.ts'

const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
const [early = '', , late = ''] = checkpoints.split(/\n(?=employee)/)
const sizeOf = (note: string) => Number(note.split('\n')[1])
const textOf = (note: string) => note.split('\n\n')[0]! + '\n'
const [one, two, three] = ['w1', 'w2', 'w3'].map((name) => makeWitnessKey(`witness.example/${name}`)) as [
  ReturnType<typeof makeWitnessKey>,
  ReturnType<typeof makeWitnessKey>,
  ReturnType<typeof makeWitnessKey>,
]
const all = [one, two, three]

await t.test('the key of a witness is read, and no key of another type', async (t) => {
  t.match(parseWitnessKey(one.verifierKey), { name: one.name, id: one.id })
  t.equal(parseVerifierKey(one.verifierKey), null, 'a witness key signs no checkpoints')
  t.equal(parseWitnessKey(publicKey), null, 'a key that signs checkpoints cosigns none')
  t.equal(parseWitnessKey(one.verifierKey.replace('w1', 'w2')), null, 'the id is of another name')
})

await t.test('a policy counts each key once, and its quorum can be met', async (t) => {
  const keys = all.map(({ verifierKey }) => parseWitnessKey(verifierKey)!)
  t.equal(makePolicy(keys).quorum, 3)
  t.equal(makePolicy(keys, 2).quorum, 2)
  for (const quorum of [0, 4]) t.throws(() => makePolicy(keys, quorum), /quorum/)
  t.throws(() => makePolicy([keys[0]!, { ...keys[0]!, name: 'other' }], 1), /same public key/)
})

await t.test(
  'cosignatures count for the text and the time that they sign, and by other witnesses not at all',
  async (t) => {
    const keys = [one, two].map(({ verifierKey }) => parseWitnessKey(verifierKey)!)
    const cosignersOf = (note: string) => {
      const cosigners = findCosigners(parseCheckpoints(note)![0]!.note, keys)
      return cosigners && [...cosigners].map(({ name }) => name)
    }
    t.strictSame(cosignersOf(late), [])
    t.strictSame(cosignersOf(cosignNote(late, three)), [])
    t.strictSame(cosignersOf(cosignNote(late, three, two, one, two)), [two.name, one.name])
    t.equal(cosignersOf(late + cosign(textOf(early), one)), null, 'of another text')
    const line = cosign(textOf(late), one)
    const bytes = Buffer.from(line.split(' ')[2]!, 'base64')
    for (const at of [4, 11, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      t.equal(cosignersOf(`${late}— ${one.name} ${changed.toString('base64')}\n`), null, `byte ${at} was changed`)
    }
    t.equal(cosignersOf(`${late}— ${one.name} ${bytes.subarray(0, 8).toString('base64')}\n`), null, 'it is too short')
    t.equal(cosignersOf(late + cosign(textOf(late), one, 2n ** 63n)), null, 'its time is out of range')
  },
)

/** Notes, the number of witnesses that must have cosigned one, and the verdict: a kind, or the size that is witnessed. */
const CASES: [notes: string, quorum: number, verdict: string | number][] = [
  [cosignNote(late, one, two), 2, sizeOf(late)],
  [cosignNote(early, one, two, three) + cosignNote(late, one), 2, sizeOf(early)],
  [cosignNote(late, one, one), 2, 'unverifiable'],
  [cosignNote(early, one) + cosignNote(late, two), 2, 'unverifiable'],
  [cosignNote(early, one, two) + late + cosign(textOf(early), one), 2, 'invalid'],
  [late, 1, 'unverifiable'],
]

await t.test('an export is witnessed up to the largest checkpoint that a quorum has cosigned', async (t) => {
  const batch = [lines.map((line) => Buffer.from(line))]
  for (const [notes, quorum, expected] of CASES) {
    const witnesses = all.map(({ verifierKey }) => parseWitnessKey(verifierKey)!)
    const evidence = { checkpoints: parseCheckpoints(notes)!, keys: [parseVerifierKey(publicKey)!] }
    const verdict = await verifyExport(batch, { ...evidence, policy: makePolicy(witnesses, quorum) })
    const shown = verdict.verdict === 'consistent' ? verdict.witnessed_to : verdict.verdict
    t.equal(shown, expected, JSON.stringify(verdict))
  }
})

await t.test(
  'the second verifier reaches the same verdicts',
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const folder = t.testdir({ 'ledger.ndjson': lines.join('') })
    const file = (name: string) => path.join(folder, name)
    const witnesses = all.flatMap(({ verifierKey }) => ['--witness', verifierKey])
    const verify = (notes: string, ...rest: string[]) => {
      writeFileSync(file('notes'), notes)
      const given = [file('ledger.ndjson'), '--checkpoint', file('notes'), ...rest]
      return spawnSync('python3', ['docs/verify_ledger.py', ...given], { encoding: 'utf8' })
    }
    for (const [notes, quorum, expected] of CASES) {
      const { stdout } = verify(notes, ...witnesses, '--quorum', String(quorum))
      t.match(stdout, typeof expected === 'number' ? `witnessed to position ${expected};` : `${expected}: `)
    }
    t.match(verify(cosignNote(late, one, two), ...witnesses).stdout, /^unverifiable: /, 'by default all are needed')
    t.equal(verify(late, '--witness', publicKey).status, 2)
    t.equal(verify(late, ...witnesses, '--quorum', '4').status, 2)
    t.equal(verify(late, ...witnesses, '--witness', one.verifierKey).status, 2)
  },
)
