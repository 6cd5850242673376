import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { hasPython } from '../support/ledger/both-verifiers.ts'
import { runCommand } from '../support/processes/cli.ts'
import { readFrozen } from '../support/ledger/frozen-ledger.ts'
import { cosignNote, makeWitnessKey } from '../support/witnesses/cosign.ts'

const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
const folder = t.testdir()
const file = (name: string) => path.join(folder, name)

function changed(name: string, content: string | Buffer): string {
  writeFileSync(file(name), content)
  return file(name)
}

const text = lines.join('')
const events = lines.length
const [first = '', , last = ''] = checkpoints.split(/\n(?=employee)/)
const whole = changed('whole.ndjson', text)
const notes = changed('all.notes', checkpoints)
const early = changed('early.checkpoint', first)
const late = changed('late.checkpoint', last)
const forged = changed('forged.checkpoint', last.replace(`\n${events}\n`, `\n${events - 1}\n`))

/** Without any settings or database. */
const verify = (...args: string[]) => runCommand(t, ['audit', 'verify', ...args], {})

/** Runs verifications in parallel, and checks the exit code and the first line of each. */
async function assertVerdicts(t: Test, ...expected: [args: string[], code: number, line: RegExp][]): Promise<void> {
  const ended = await Promise.all(expected.map(([args]) => verify(...args)))
  for (const [at, [args, code, line]] of expected.entries()) {
    t.equal(ended[at]!.exitCode, code, args.join(' '))
    t.match(ended[at]!.stdout.split('\n')[0], line)
  }
}

await t.test('an export is verified from files alone, and the verdict says how far it is signed', async (t) => {
  const part = new RegExp(`^consistent, signed to position ${first.split('\n')[1]} of ${events}$`)
  await assertVerdicts(
    t,
    [[whole], 0, /^consistent, unsigned$/],
    [[whole, '--checkpoint', notes, '--key', publicKey], 0, /^consistent, signed$/],
    [[whole, '--checkpoint', early, '--key', changed('keys', `${publicKey}\n`)], 0, part],
    [
      [changed('whole.gz', gzipSync(text)), '--checkpoint', early, '--checkpoint', late, '--key', publicKey],
      0,
      /^consistent, signed$/,
    ],
  )
})

await t.test('the verdict says what is missing where checkpoints match that nobody has signed', async (t) => {
  const { stdout } = await verify(whole, '--checkpoint', notes)
  t.match(stdout, /^consistent, unsigned$[^]*^unsigned: no signature was checked; .* --key$/m)
})

await t.test('the JSON verdict has the counts, and progress is shown beside it', async (t) => {
  const { stdout, stderr } = await verify(whole, '--checkpoint', notes, '--key', publicKey, '--json')
  t.match(JSON.parse(stdout), { verdict: 'consistent', events, checkpoints: 3, checked_to: events, signed_to: events })
  t.match(stderr, /^verify .*100 %/m)
})

await t.test('the verdict says how far a quorum of the given witnesses has cosigned', async (t) => {
  const [one, two] = [makeWitnessKey('witness.example/w1'), makeWitnessKey('witness.example/w2')]
  const cosigned = changed('cosigned', cosignNote(first, one, two) + cosignNote(last, two))
  const given = [whole, '--checkpoint', cosigned, '--key', publicKey, '--witness', one.verifierKey]
  const witnesses = changed('witnesses', `${two.verifierKey}\n`)
  const size = first.split('\n')[1]
  await assertVerdicts(
    t,
    [[...given, '--witness', witnesses], 0, new RegExp(`^consistent, signed, witnessed to position ${size}$`)],
    [
      [...given, '--witness', witnesses, '--quorum', '1'],
      0,
      new RegExp(`^consistent, signed, witnessed to position ${events}$`),
    ],
    [
      [whole, '--checkpoint', late, '--witness', witnesses],
      4,
      /^unverifiable: no checkpoint is cosigned by 1 of the 1/,
    ],
  )
})

/** Names the file, and says where the note is for whoever saved the whole answer of the API. */
const NO_CHECKPOINTS = /^unverifiable: .*else cannot be read: it is not a file of checkpoints, .* that is `note`$/

await t.test('each kind of fault has its exit code, and says where and why', async (t) => {
  await assertVerdicts(
    t,
    [[changed('cut', text.slice(0, -5))], 1, new RegExp(`^invalid at position ${events}: the line is cut off`)],
    [
      [changed('old', lines.slice(0, 11).join('')), '--checkpoint', early],
      3,
      /^diverged at position 12: the ledger ends before this/,
    ],
    [[changed('else', 'a,b\n1,2\n')], 4, /^unverifiable: this is not an exported ledger/],
    [[changed('damaged.gz', gzipSync(text).fill(0, 5_000, 6_000))], 4, /^unverifiable: .* cannot be read: /],
    [
      [changed('half.gz', gzipSync(text).subarray(0, 5_000))],
      4,
      /^unverifiable: .* cannot be read: unexpected end of file/,
    ],
    [[whole, '--checkpoint', notes, '--checkpoint', file('else')], 4, NO_CHECKPOINTS],
    [[whole, '--checkpoint', file('missing')], 4, /^unverifiable: .*missing cannot be read: /],
    [[whole, '--checkpoint', forged], 3, new RegExp(`^diverged at position ${events - 1}: `)],
    [[whole, '--checkpoint', forged, '--key', publicKey], 1, /^invalid: the signature /],
  )
})

await t.test('wrong usage has its own exit code', async (t) => {
  const uses = [
    [],
    [whole, '--key', 'nonsense'],
    [whole, '--yaml'],
    [whole, '--key', 'a+b+c'],
    [whole, '--witness', publicKey],
    [whole, '--quorum', '1'],
  ]
  for (const { exitCode, stdout, stderr } of await Promise.all(uses.map((args) => verify(...args)))) {
    t.match({ exitCode, stdout }, { exitCode: 2, stdout: '' })
    t.ok(stderr.length > 0)
  }
})

await t.test(
  "the second verifier's command line gives the same verdicts",
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const python = (...args: string[]) => spawnSync('python3', ['docs/verify_ledger.py', ...args], { encoding: 'utf8' })
    t.match(python(file('whole.gz'), '--checkpoint', notes, '--key', publicKey), {
      status: 0,
      stdout: /^consistent: .* signed/,
    })
    t.match(python(whole, '--checkpoint', forged), { status: 3, stdout: `diverged at position ${events - 1}:` })
    t.match(python(whole, '--checkpoint', forged, '--key', publicKey), { status: 1, stdout: /^invalid: / })
    t.match(python(file('cut')), { status: 1, stdout: `invalid at position ${events}:` })
    for (const name of ['missing', 'half.gz', 'damaged.gz'])
      t.match(python(file(name)), { status: 4, stdout: `unverifiable: ${file(name)} cannot be read: ` })
    t.equal(python(file('else')).status, 4)
    const [twice, missing] = ['else', 'missing'].map((name) => ['--checkpoint', notes, '--checkpoint', file(name)])
    t.match(python(whole, ...twice!), { status: 4, stdout: new RegExp(NO_CHECKPOINTS.source.replace('$', '\\n$')) })
    t.match(python(whole, ...missing!), { status: 4, stdout: `unverifiable: ${file('missing')} cannot be read: ` })
    t.equal(python('--nonsense').status, 2)
    t.equal(python(whole, '--key', 'nonsense').status, 2)
  },
)
