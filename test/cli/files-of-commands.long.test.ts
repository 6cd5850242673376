import type { Command } from 'commander'
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { buildProgram } from '../../src/cli/program.ts'
import { runCommand } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const created = await service.call('POST', '/v1/employees', { body: employee() })
const company = ['--company', service.company.id]
const id: string = created.body.employees[0].id
const { DATABASE_URL = '', DATA_DIR, SIGNING_KEY = '' } = service.config

/** The commands that write a file, with what else they need. */
const WRITING: Record<string, string[]> = {
  'user report': [...company, '--user', service.company.admin.user_id],
  'audit export': company,
  'audit evidence': [...company, '--employee', id],
  'employee report': [...company, '--id', id],
}

function listWriting(command: Command, words: string[] = []): string[] {
  if (command.options.some(({ long }) => long === '--out')) return [words.join(' ')]
  return command.commands.flatMap((child) => listWriting(child, [...words, child.name()]))
}

await t.test("a file that a command writes is its owner's alone, and no link leads it elsewhere", async (t) => {
  const root = t.testdir()
  t.strictSame(listWriting(buildProgram()), Object.keys(WRITING))
  for (const [name, args] of Object.entries(WRITING)) {
    const folder = path.join(root, name.replace(' ', '-'))
    mkdirSync(folder, { recursive: true })
    const [victim, out] = [path.join(folder, 'victim'), path.join(folder, 'out.gz')]
    writeFileSync(victim, 'mine')
    symlinkSync(victim, `${out}.part`)
    const run = await runCommand(t, [...name.split(' '), ...args, '--out', out], {
      DATABASE_URL,
      DATA_DIR,
      SIGNING_KEY,
    })
    t.equal(run.exitCode, 0, run.stderr)
    t.ok(readFileSync(victim, 'utf8') === 'mine', name)
    const written = readdirSync(folder).filter((file) => file.startsWith('out.gz') && file !== 'out.gz.part')
    t.ok(written.includes('out.gz'))
    for (const file of written) t.equal(lstatSync(path.join(folder, file)).mode & 0o777, 0o600, `${name}: ${file}`)
  }
})

await t.test('a command refuses a file that it cannot write before it connects to the database', async (t) => {
  const root = t.testdir({ file: '' })
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing', DATA_DIR }
  for (const [name, args] of Object.entries(WRITING))
    for (const [folder, reason] of [
      ['missing', 'ENOENT'],
      ['file', 'ENOTDIR'],
    ] as const) {
      const out = path.join(root, folder, 'out.gz')
      const run = await runCommand(t, [...name.split(' '), ...args, '--out', out], nowhere)
      t.match(run, { exitCode: 1, stderr: `employee-ledger: ${out} cannot be written: ${reason}` }, name)
    }
})
