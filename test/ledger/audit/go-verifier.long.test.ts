import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { frozenFile, readFrozen } from '../../support/ledger/frozen-ledger.ts'
import { compileGo } from '../../support/ledger/go-program.ts'
import { cosign, cosignNote, makeWitnessKey } from '../../support/witnesses/cosign.ts'

/* docs/verify_ledger.go, which checks a ledger with the packages that Go's checksum database uses. */

const folder = t.testdir()
const file = (name: string) => path.join(folder, name)
const missing = compileGo('docs/verify_ledger.go', folder)

await t.test(
  'the Go program verifies ledgers, and finds what was changed',
  { skip: missing !== null && `there is no ${missing} here` },
  (t) => {
    const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
    const notes = checkpoints.split(/\n(?=employee)/)
    const checkpoint = file('checkpoint')
    writeFileSync(checkpoint, notes.at(-1)!)
    const run = (exported: string, note = checkpoint, key = publicKey, policy: string[] = []) => {
      const args = [exported, note, key, ...policy]
      const { status, stdout, stderr } = spawnSync(file('program'), args, { encoding: 'utf8' })
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
    writeFileSync(file('packed.ndjson.gz'), Buffer.concat([gzipSync(lines[0]!), gzipSync(lines.slice(1).join(''))]))
    t.match(run(file('packed.ndjson.gz')), { status: 0, told: `verified: ${lines.length} events, root ` })
    t.match(run(changed('plain.gz', text)), { status: 1, told: 'not verified: gzip: invalid header' })
    const actor = text.replace('\\"actor\\":\\"operator\\"', '\\"actor\\":\\"schedule\\"')
    t.match(run(changed('actor', actor)), { status: 1, told: /^not verified: the root of the first \d+ events is / })
    const data = text.replace('Acme', 'Acne')
    t.match(run(changed('data', data)), { status: 1, told: 'not verified: the data are not those hashed' })
    const cut = lines.slice(0, -1).join('')
    t.match(run(changed('cut', cut)), { status: 1, told: 'not verified: the export ends after' })
    const forged = notes.at(-1)!.replace(`\n${lines.length}\n`, `\n${lines.length - 1}\n`)
    t.match(run(whole, changed('forged', forged)), { status: 1, told: 'not verified: ' })
    t.match(run(whole, checkpoint, key), { status: 1, told: 'not verified: ' })

    const [one, two] = [makeWitnessKey('witness.example/w1'), makeWitnessKey('witness.example/w2')]
    const witnesses = [one.verifierKey, two.verifierKey]
    const runWith = (note: string, ...policy: string[]) => run(whole, changed('cosigned', note), publicKey, policy)
    const last = notes.at(-1)!
    t.match(runWith(cosignNote(last, one, two), '2', ...witnesses), { status: 0, told: 'verified: ' })
    t.match(runWith(cosignNote(last, two), '1', ...witnesses), { status: 0, told: 'verified: ' })
    const tooFew = 'not verified: 1 witnesses have cosigned the checkpoint, not 2'
    t.match(runWith(cosignNote(last, one, one), '2', ...witnesses), { status: 1, told: tooFew })
    const ofOther = last + cosign(notes[0]!.split('\n\n')[0]! + '\n', one)
    t.match(runWith(ofOther, '1', ...witnesses), { status: 1, told: 'not verified: invalid signature' })
    const unsigned = cosignNote(`${last.split('\n\n')[0]!}\n\n`, one)
    t.match(runWith(unsigned, '1', ...witnesses), {
      status: 1,
      told: 'not verified: the checkpoint is not signed with',
    })
    t.match(runWith(last, '3', ...witnesses), { status: 1, told: 'not verified: the quorum is not from 1' })
    t.match(runWith(last, '1', publicKey), { status: 1, told: 'not verified: not the key of a witness' })
    t.end()
  },
)
