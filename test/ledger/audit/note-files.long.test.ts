import { generateKeyPairSync, sign } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { makeFolder } from '../../../src/postgres/embedded/data-folder.ts'
import { signCheckpointNote, parseCheckpoints } from '../../../src/ledger/audit/signed-note.ts'
import { NoteFileError, createNoteFiles } from '../../../src/ledger/audit/note-files.ts'

const COMPANY = 'com_01h455vb4pex5vsknk084sn02q'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = {
  publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  sign: (bytes: Buffer) => sign(null, bytes, privateKey),
}
const noteOf = (size: number) => signCheckpointNote(COMPANY, { size, root: Buffer.alloc(32, size) }, signer)

function open(t: Test) {
  const folder = path.join(t.testdir(), 'deep', 'checkpoints')
  return { files: createNoteFiles(folder, makeFolder), folder, file: path.join(folder, `${COMPANY}.notes`) }
}

/** The sizes of the notes in a file, as an auditor reads it. */
const sizesIn = (file: string) => parseCheckpoints(readFileSync(file, 'utf8'))?.map(({ size }) => size)

await t.test('the last note, if any, is found, and an auditor reads them all', async (t) => {
  const { files, file } = open(t)
  t.equal(await files.last(COMPANY), null)
  t.strictSame(await files.companies(), [])
  for (let size = 1; size <= 60; size += 1) {
    await files.append(COMPANY, noteOf(size))
    t.equal((await files.last(COMPANY))?.size, size)
  }
  t.strictSame(
    sizesIn(file),
    Array.from({ length: 60 }, (_, at) => at + 1),
  )
  t.strictSame(await files.companies(), [COMPANY])
})

await t.test('a note that a crash cut off does not count, and the next one replaces it', async (t) => {
  const { files, file } = open(t)
  await files.append(COMPANY, noteOf(1))
  const whole = readFileSync(file).length
  await files.append(COMPANY, noteOf(2))
  const both = readFileSync(file)
  for (let length = whole; length < both.length; length += 1) {
    writeFileSync(file, both.subarray(0, length))
    t.equal((await files.last(COMPANY))?.size, 1, `cut off after ${length} bytes`)
    await files.append(COMPANY, noteOf(3))
    t.strictSame(sizesIn(file), [1, 3])
  }
})

await t.test('a note of null bytes and a cut-off first note do not count either', async (t) => {
  const { files, file } = open(t)
  await files.append(COMPANY, noteOf(1))
  appendFileSync(file, Buffer.alloc(200))
  t.equal((await files.last(COMPANY))?.size, 1)
  truncateSync(file, 50)
  t.equal(await files.last(COMPANY), null)
  await files.append(COMPANY, noteOf(2))
  t.strictSame(sizesIn(file), [2])
})

await t.test('a file that ends with anything else is an error that names it, and stays unchanged', async (t) => {
  const { files, file } = open(t)
  await files.append(COMPANY, noteOf(1))
  const good = readFileSync(file, 'utf8')
  const other = noteOf(2).replaceAll(COMPANY, 'com_01h455vb4pex5vsknk084sn02r')
  for (const text of [
    'nonsense',
    good + 'x',
    good + `${other}\n`,
    good + 'employee-ledger\n',
    'x'.repeat(20_000),
    good + 'x'.repeat(20_000),
  ]) {
    writeFileSync(file, text)
    await t.rejects(files.last(COMPANY), {
      message: `${file} does not end with a checkpoint of its company: it was damaged or changed`,
    })
    await t.rejects(files.append(COMPANY, noteOf(3)), NoteFileError)
    t.equal(readFileSync(file, 'utf8'), text)
  }
})

await t.test('an error names a file that cannot be read or written', async (t) => {
  const { files, folder, file } = open(t)
  mkdirSync(file, { recursive: true })
  await t.rejects(files.last(COMPANY), {
    name: 'NoteFileError',
    message: new RegExp(`^${file} cannot be read: EISDIR`),
  })
  await t.rejects(files.append(COMPANY, noteOf(1)), {
    name: 'NoteFileError',
    message: new RegExp(`^${file} cannot be written: EISDIR`),
  })
  const blocked = createNoteFiles(path.join(folder, 'a-file', 'below'), makeFolder)
  writeFileSync(path.join(folder, 'a-file'), '')
  await t.rejects(blocked.append(COMPANY, noteOf(1)), NoteFileError)
  await t.rejects(blocked.last(COMPANY), { name: 'NoteFileError', message: /ENOTDIR/ })
})
