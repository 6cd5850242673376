import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import { FileQuestion, UNANSWERED } from '../../src/spreadsheets/formats/file-question.ts'
import { createNotes } from '../../src/spreadsheets/tables/find-table.ts'
import { readFrames, writeFrame } from '../../src/spreadsheets/process/frames.ts'
import { holdProgram } from '../../src/spreadsheets/process/plain-program.ts'
import { prepareReader, readApart } from '../../src/spreadsheets/process/read-apart.ts'
import { watchProcess, type ProcessLimits } from '../../src/spreadsheets/process/watch-process.ts'
import { eventually } from '../support/eventually.ts'
import { encodeText } from '../support/files/encode-text.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'
import { holdFile } from '../support/files/hold-file.ts'

/* The process that reads a file: it ends whatever it is given, and nothing but what the file holds comes back. */

const CSV = Buffer.from('external_id,first_name\n1,Ana\n2,Bo\n')

async function read(content: Buffer | string, signal?: AbortSignal) {
  const notes = createNotes()
  const pieces = []
  for await (const piece of readApart(holdFile(Buffer.from(content as string)), UNANSWERED, notes, { signal }))
    pieces.push(piece)
  return { pieces, notes }
}

async function listProcesses() {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  return stdout.split('\n').map((line) => {
    const [, id, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return { id: Number(id), parent: Number(parent), command }
  })
}

/** Runs Node.js without the environment of this program, and returns what it prints. */
async function runNode(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('env', ['-i', process.execPath, ...args])
  return stdout.trim()
}

/** The ids of the processes that read files for a program, this one unless it is said. */
async function listReaders(program = process.pid): Promise<number[]> {
  const all = await listProcesses()
  return all
    .filter(({ parent, command }) => parent === program && command.includes('reader-program'))
    .map(({ id }) => id)
}

const noReader = () => eventually('no process is left', async () => (await listReaders()).length === 0)

await t.test('rows, records, faults, and questions come back as they would be read here', async (t) => {
  t.strictSame((await read(CSV)).pieces, [
    {
      kind: 'rows',
      items: [
        { line: 1, cells: ['external_id', 'first_name'] },
        { line: 2, cells: ['1', 'Ana'] },
        { line: 3, cells: ['2', 'Bo'] },
      ],
    },
  ])
  t.match((await read('Staff\n\nexternal_id,first_name\n1,Ana\n')).notes.leftOut, [{ reason: 'above_header' }, {}])
  t.match((await read('[{"external_id":"1"}]')).pieces, [
    { kind: 'records', items: [] },
    { kind: 'records', items: [{ line: 1, json: '{"external_id":"1"}' }] },
  ])
  t.match((await read('[]')).pieces, [{ kind: 'records', items: [] }])
  await t.rejects(read(''), new FileError(1, 'The file is empty'))
  await t.rejects(read(encodeText('external_id,last_name\nO-1,Ţugui\n', 'windows-1250')), FileQuestion)
  await noReader()
})

await t.test('a row of more bytes than come back at once is refused at its line', async (t) => {
  const error = await read(`a,b\n1,2\n${'ä'.repeat(200_000)},2\n`).catch((thrown: unknown) => thrown)
  t.match(error, { name: 'FileError', fault: { line: 3 } })
})

await t.test('small files that take much end with what was too much, also beside another one', async (t) => {
  const wanted = new Set(['20 million empty cells in a row', 'a cell in column ZZZZZZ', 'a link of all cells'])
  const books = hostileWorkbooks((name) => wanted.has(name))
  t.equal(books.length, wanted.size)
  for (const { name, content } of books) {
    const [hostile, other] = await Promise.all([read(content).catch((error: unknown) => error), read(CSV)])
    t.match(hostile, { name: 'FileError', message: /more than \d+ (?:MiB of memory|cells)/ }, name)
    t.equal(other.pieces.length, 1)
  }
  await noReader()
})

await t.test('a process that waits for a file takes the next one, and reads no second one', async (t) => {
  const theOne = async () => {
    let ids: number[] = []
    await eventually('one process is there', async () => (ids = await listReaders()).length === 1)
    return ids[0]!
  }
  prepareReader()
  const waiting = await theOne()
  prepareReader()
  t.equal(await theOne(), waiting)
  const pieces = readApart(holdFile(CSV), UNANSWERED, createNotes())
  await pieces.next()
  t.ok((await listReaders()).every((id) => id === waiting))
  await pieces.return()
  await noReader()
  t.equal((await read(CSV)).pieces.length, 1)
  prepareReader()
  process.kill(await theOne(), 'SIGKILL')
  await noReader()
  t.equal((await read(CSV)).pieces.length, 1, 'one that has ended is replaced')
})

await t.test('it reads no file, writes none, and starts nothing', async (t) => {
  await eventually('its program is held', async () => holdProgram() !== undefined)
  prepareReader()
  let reader: { id: number; command: string } | undefined
  await eventually('it has started', async () => {
    const [id] = await listReaders()
    reader = (await listProcesses()).find((one) => one.id === id)
    return reader?.command.includes('--permission')
  })
  const { id, command } = reader!
  t.equal(readFileSync(`/proc/${id}/environ`, 'utf8'), '', 'it has no environment')
  const program = path.resolve('src/spreadsheets/process/reader-program.ts')
  const flags = command.split(' ').filter((part) => /^--(?:permission|allow)/.test(part))
  const beside = path.join(path.dirname(program), 'planted.js')
  const attempts = {
    own: `readFileSync('${program}')`,
    package: `readFileSync('${path.resolve('node_modules/@e965/xlsx/package.json')}')`,
    config: `readFileSync('${path.resolve('src/config.ts')}')`,
    project: `readFileSync('${path.resolve('package.json')}')`,
    environment: `readFileSync('/proc/${process.pid}/environ')`,
    folder: `writeFileSync('${beside}', '')`,
    program: `writeFileSync('${program}', '')`,
    temporary: `writeFileSync('${path.join(os.tmpdir(), 'planted')}', '')`,
    process: `require('node:child_process').execFileSync('true')`,
    thread: `new (require('node:worker_threads').Worker)('', { eval: true })`,
  }
  const probe = `
    const { readFileSync, writeFileSync } = require('node:fs')
    const say = (name, attempt) => {
      try { attempt(); return [name, 'done'] } catch ({ code }) { return [name, code] }
    }
    const said = [${Object.entries(attempts)
      .map(([name, code]) => `say('${name}', () => ${code})`)
      .join()}]
    process.stdout.write(JSON.stringify(Object.fromEntries(said)))`
  const said = await runNode([...flags, '--eval', probe])
  const denied = Object.fromEntries(Object.keys(attempts).map((name) => [name, 'ERR_ACCESS_DENIED']))
  t.strictSame(JSON.parse(said), denied)
  process.kill(id, 'SIGKILL')
  await noReader()
})

await t.test('its types are left out by one of several processes, of which one is killed', async (t) => {
  const root = t.testdir({ node_modules: {} })
  for (const room of ['src/spreadsheets', 'src/text']) cpSync(room, path.join(root, room), { recursive: true })
  for (const name of ['@e965', 'libphonenumber-js'])
    symlinkSync(path.resolve('node_modules', name), path.join(root, 'node_modules', name))
  const writer = path.join(root, 'src/spreadsheets/process/write-plain-program.ts')
  const cache = path.join(root, 'node_modules/.cache/spreadsheets')
  const write = () => execFile(process.execPath, [writer])
  const killed = write()
  await eventually('it writes', async () => existsSync(cache) && readdirSync(cache).length > 0)
  killed.kill('SIGKILL')
  const others = await Promise.all([write(), write()].map(async (child) => (await once(child, 'exit'))[0]))
  t.ok(others.includes(0))
  t.match(readdirSync(cache), [/^[0-9a-f]{64}$/], 'what the others left is deleted')
  const module = path.join(root, 'src/spreadsheets/process/plain-program.ts')
  const isHeld = async () => (await runNode(['--print', `require('${module}').holdProgram() !== undefined`])) === 'true'
  t.ok(await isHeld())
  const [before] = readdirSync(cache)
  writeFileSync(path.join(root, 'src/text/later.ts'), 'export {}\n')
  t.notOk(await isHeld(), 'changed sources are read with their types')
  await eventually('until these are left out, too', isHeld)
  await eventually('what they were is deleted', async () => !existsSync(path.join(cache, before!)))
  await eventually(
    'nobody writes any more',
    async () => !(await listProcesses()).some(({ command }) => command.includes(writer)),
  )
})

await t.test('it ends when the program that started it is killed', async () => {
  const reading = new URL('../../src/spreadsheets/process/read-apart.ts', import.meta.url)
  const program = `const { prepareReader } = await import('${reading.href}'); prepareReader(); setInterval(() => {}, 1_000)`
  const child = execFile('env', ['-i', process.execPath, '--input-type=module', '--eval', program])
  let [reader]: number[] = []
  await eventually('it has started one', async () => {
    ;[reader] = await listReaders(child.pid)
    return reader !== undefined
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  await eventually('that has ended, too', async () => !(await listProcesses()).some(({ id }) => id === reader))
})

await t.test('what takes too much memory, processor time, or time is found', async (t) => {
  const many: ProcessLimits = { memory: Infinity, processor: Infinity, time: Infinity }
  const exceeded = (limits: Partial<ProcessLimits>, program: string) => {
    const child = execFile(process.execPath, ['--eval', program])
    return new Promise((resolve) => {
      watchProcess(child.pid!, { ...many, ...limits }, (what) => {
        child.kill('SIGKILL')
        resolve(what)
      })
    })
  }
  const sleep = 'setInterval(() => {}, 1_000)'
  t.equal(await exceeded({ memory: 2 ** 27 }, `const held = Buffer.alloc(2 ** 28, 1); ${sleep}`), 'memory')
  t.equal(await exceeded({ processor: 300 }, 'for (;;);'), 'processor')
  t.equal(await exceeded({ time: 100 }, sleep), 'time')
})

await t.test('a frame that says that it is too long is refused before it has come', async (t) => {
  async function* chunks(bytes: Buffer) {
    yield bytes
    throw new Error('nothing more is taken')
  }
  const head = Buffer.alloc(5)
  head.writeUInt32BE(2 ** 20, 1)
  await t.rejects(readFrames(chunks(head)).next(), /A frame of rows has 1048576 bytes/)
  head[0] = 99
  await t.rejects(readFrames(chunks(head)).next(), /No frame is of kind 99/)
  t.throws(() => writeFrame('question', `"${'x'.repeat(70_000)}"`), /too many/)
  const whole = Buffer.concat([writeFrame('fault', '{"line":1}'), writeFrame('rows', '[]')])
  async function* bytewise() {
    for (const byte of whole) yield Buffer.from([byte])
  }
  const frames = []
  for await (const frame of readFrames(bytewise())) frames.push(frame)
  t.strictSame(frames, [
    { kind: 'fault', payload: { line: 1 } },
    { kind: 'rows', payload: [] },
  ])
})
