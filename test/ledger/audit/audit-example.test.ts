import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { hasPython, shown, verifyHere } from '../../support/ledger/both-verifiers.ts'

const page = readFileSync('docs/audit-example.md', 'utf8')
const publicKey = /--key (\S+)/.exec(page)![1]!

await t.test(
  'every command of docs/audit-example.md prints what the page says',
  {
    skip: !hasPython() && 'there is no python3 here',
  },
  (t) => {
    // Commands, and what they print if a block follows directly.
    const steps = [...page.matchAll(/^```sh\n([^]*?)^```\n(?:\n```\n([^]*?)^```\n)?/gm)]
    const end = '\u001e\n'
    const script = steps.map(([, commands]) => `${commands}printf '${end}'\n`).join('')
    const printed = execFileSync('bash', ['-euc', script], { cwd: 'docs', encoding: 'utf8' }).split(end)
    t.ok(steps.length > 8)
    for (const [at, [, commands = '', output = '']] of steps.entries()) {
      t.equal(printed[at], output, commands)
    }
    t.end()
  },
)

await t.test('the example is a ledger that this program verifies too', async (t) => {
  const [bytes, checkpoints] = ['ndjson', 'checkpoint'].map((ending) => readFileSync(`docs/audit-example.${ending}`))
  t.strictSame(shown(await verifyHere({ bytes: bytes!, checkpoints: checkpoints!, publicKey })), {
    verdict: 'consistent',
    position: null,
  })
})
