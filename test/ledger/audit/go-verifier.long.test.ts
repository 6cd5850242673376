import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { compileGoVerifier } from '../../support/ledger/go-verifier.ts'
import { frozenFile, readFrozen } from '../../support/ledger/frozen-ledger.ts'

/* docs/verify_ledger.go, which checks a ledger with the packages that Go's checksum database uses. */

const folder = t.testdir()
const file = (name: string) => path.join(folder, name)
const { missing, program } = compileGoVerifier(folder)

await t.test(
  'the Go program verifies ledgers, and finds what was changed',
  { skip: missing !== null && `there is no ${missing} here` },
  (t) => {
    const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
    const notes = checkpoints.split(/\n(?=employee)/)
    const checkpoint = file('checkpoint')
    writeFileSync(checkpoint, notes.at(-1)!)
    const run = (exported: string, note = checkpoint, key = publicKey) => {
      const { status, stdout, stderr } = spawnSync(program, [exported, note, key], { encoding: 'utf8' })
      return { status, told: stdout + stderr }
    }
    const changed = (name: string, content: string) => {
      writeFileSync(file(name), content)
      return file(name)
    }
    const whole = frozenFile('1.0.0', 'ndjson')
    t.match(run(whole), { status: 0, told: `verified: ${lines.length} events, root ` })
    t.match(run(whole, changed('early', notes[0]!)), { status: 0, told: 'verified: ' })
    const [, key] = /--key (\S+)/.exec(readFileSync('docs/audit-example.md', 'utf8'))!
    t.match(run('docs/audit-example.ndjson', 'docs/audit-example.checkpoint', key), { status: 0, told: '5 events' })

    const text = lines.join('')
    const actor = text.replace('\\"actor\\":\\"operator\\"', '\\"actor\\":\\"schedule\\"')
    t.match(run(changed('actor', actor)), { status: 1, told: /^not verified: the root of the first \d+ events is / })
    const data = text.replace('Acme', 'Acne')
    t.match(run(changed('data', data)), { status: 1, told: 'not verified: the data are not those hashed' })
    const cut = lines.slice(0, -1).join('')
    t.match(run(changed('cut', cut)), { status: 1, told: 'not verified: the export ends after' })
    const forged = notes.at(-1)!.replace(`\n${lines.length}\n`, `\n${lines.length - 1}\n`)
    t.match(run(whole, changed('forged', forged)), { status: 1, told: 'not verified: ' })
    t.match(run(whole, checkpoint, key), { status: 1, told: 'not verified: ' })
    t.end()
  },
)
