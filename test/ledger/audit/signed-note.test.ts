import { generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import {
  signCheckpointNote,
  parseCheckpoints,
  listVerifierKeys,
  type NoteSigner,
  checkSignature,
  deriveKeyId,
  parseNotes,
  parseVerifierKey,
  signNote,
  formatVerifierKey,
} from '../../../src/ledger/audit/signed-note.ts'

const COMPANY = 'com_01h455vb4pex5vsknk084sn02q'
const ORIGIN = `employee-ledger/${COMPANY}`

function newSigner(): NoteSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { publicKey: raw, sign: (bytes) => sign(null, bytes, privateKey) }
}

const signer = newSigner()
const head = { size: 7, root: Buffer.alloc(32, 5) }
const note = signCheckpointNote(COMPANY, head, signer)

await t.test("another implementation's note verifies, and with one letter changed it does not", async (t) => {
  // The example of golang.org/x/mod/sumdb/note, the first implementation of signed notes.
  const key = parseVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
  const text = `If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n`
  const line = `— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`
  const [theirs] = parseNotes(`${text}\n${line}`)!
  t.equal(checkSignature(theirs!, [key!]), 'signed')
  t.equal(checkSignature({ ...theirs!, text: text.replace('you', 'You') }, [key!]), 'forged')
})

await t.test('a checkpoint is origin, size, root, an empty line, and a signature named by its origin', async (t) => {
  const [first, second, third, empty, last, ...rest] = note.split('\n')
  t.strictSame([first, second, third, empty], [ORIGIN, '7', head.root.toString('base64'), ''])
  const [, name, encoded] = /^— (\S+) (\S+)$/.exec(last!)!
  t.equal(name, ORIGIN)
  t.equal(
    Buffer.from(encoded!, 'base64').subarray(0, 4).toString('hex'),
    deriveKeyId(ORIGIN, signer.publicKey).toString('hex'),
  )
  t.strictSame(rest, [''])
})

await t.test('a checkpoint reads back unchanged, alone and among others', async (t) => {
  const next = signCheckpointNote(COMPANY, { size: 9, root: Buffer.alloc(32, 6) }, signer)
  for (const text of [note + next, `${note}\n${next}\n`, `\n${note}\n\n${next}`]) {
    const read = parseCheckpoints(text)!
    t.strictSame(
      read.map(({ size }) => size),
      [7, 9],
    )
    t.strictSame(
      read.map((checkpoint) => checkSignature(checkpoint.note, listVerifierKeys(COMPANY, [signer.publicKey]))),
      ['signed', 'signed'],
    )
  }
})

await t.test('a note is signed, forged, or signed by an unknown key', async (t) => {
  const [checkpoint] = parseCheckpoints(note)!
  const keys = listVerifierKeys(COMPANY, [newSigner().publicKey, signer.publicKey])
  t.equal(checkSignature(checkpoint!.note, keys), 'signed')
  t.equal(checkSignature(checkpoint!.note, keys.slice(0, 1)), 'unknown')
  const [larger] = parseCheckpoints(note.replace('\n7\n', '\n8\n'))!
  t.equal(checkSignature(larger!.note, keys), 'forged')
  const both = signNote(checkpoint!.note.text, ORIGIN, newSigner()) + note.split('\n\n')[1]!
  t.equal(checkSignature(parseNotes(both)![0]!, keys), 'signed', 'other signatures do no harm')
})

await t.test('a malformed checkpoint is refused', async (t) => {
  const broken = [
    '',
    'x',
    note.slice(0, -1),
    note.split('\n\n')[0]!,
    note.replace('\n7\n', '\n07\n'),
    note.replace('\n7\n', '\n-7\n'),
    note.replace('\n7\n', '\n7 \n'),
    note.replace('BQU', 'BQ'),
    note.replace('— ', '- '),
    note.replace(/(\S)\n$/, '$1 x\n'),
    note.replaceAll('\n', '\r\n'),
    note.replace(/\n$/, '\v\n'),
    `${note}more\n`,
  ]
  for (const text of broken) t.equal(parseCheckpoints(text), null, JSON.stringify(text))
})

await t.test('a verifier key reads back unchanged, and a damaged one is refused', async (t) => {
  const text = formatVerifierKey(ORIGIN, signer.publicKey)
  t.strictSame(parseVerifierKey(text), {
    name: ORIGIN,
    id: deriveKeyId(ORIGIN, signer.publicKey),
    publicKey: signer.publicKey,
  })
  for (const other of [
    '',
    'x',
    text.slice(1),
    text.replace(/\+[0-9a-f]/, (start) => `+${start === '+0' ? 1 : 0}`),
    `${text}=`,
    text.slice(0, -4),
  ]) {
    t.equal(parseVerifierKey(other), null, other)
  }
})
