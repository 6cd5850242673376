import t from 'tap'
import { failsWithLine, launch } from './processes/cli.ts'

/** The wrong uses of each command for developers, and what the message says after `error: `. */
const COMMANDS: Record<string, [given: string[], message: string][]> = {
  'test/faults/main.ts': [
    [['--runs', '0'], "option '--runs <number>' argument '0' is invalid. It must be a whole number from 1 to 1000000."],
    [
      ['--times', '101'],
      "option '--times <number>' argument '101' is invalid. It must be a whole number from 1 to 100.",
    ],
    [
      ['--only', 'nothing'],
      "option '--only <part>' argument 'nothing' is invalid. It must be a part of one of these names",
    ],
    [['--table', 'nofile'], "option '--table <files...>' argument 'nofile' is invalid. It must be a file that --out"],
    [['--out', 'nofolder/x'], "option '--out <file>' argument 'nofolder/x' is invalid. It must be a file that can be"],
    [['disk.json'], 'too many arguments. Expected 0 arguments but got 1.'],
  ],
  'test/fuzz/main.ts': [
    [['--inputs', '-1'], "option '--inputs <number>' argument '-1' is invalid. It must be a whole number from 1 to"],
  ],
  'test/backup/main.ts': [
    [['--calls', 'abc'], "option '--calls <number>' argument 'abc' is invalid. It must be a whole number from 1 to"],
  ],
  'test/support/ledger/tamper.ts': [
    [['--runs', 'abc'], "option '--runs <number>' argument 'abc' is invalid. It must be a whole number from 1 to"],
  ],
  'test/support/ledger/record-release.ts': [
    [[], "missing required argument 'version'"],
    [['1.1'], "command-argument value '1.1' is invalid for argument 'version'. It must be a version such as 1.1.0."],
  ],
  'test/citus/main.ts': [
    [
      ['quick/misspelled'],
      "command-argument value 'quick/misspelled' is invalid for argument 'groups'. Allowed choices",
    ],
  ],
  'bench/main.ts': [
    [['--rounds', '0'], "option '--rounds <n>' argument '0' is invalid. it must be a number above 0"],
    [['webhooks', '--fleets', '1,9'], "option '--fleets <list>' argument '1,9' is invalid. choose from 1,100,1000"],
    [
      ['profile', '--work', 'verify,verify'],
      "option '--work <work>' argument 'verify,verify' is invalid. Allowed choices",
    ],
  ],
}

for (const [file, wrong] of Object.entries(COMMANDS)) {
  await t.test(`${file} has help, and names what is wrong with its options`, async (t) => {
    const run = (args: string[]) => launch(t, args, {}, file).ended
    const [help, unknown, ...ended] = await Promise.all(
      [['--help'], ['--unknown'], ...wrong.map(([given]) => given)].map(run),
    )
    t.match(help, { exitCode: 0, stderr: '', stdout: /^Usage: .*\n[^]*--help/ })
    failsWithLine(t, unknown!, "error: unknown option '--unknown'\n")
    for (const [at, [, message]] of wrong.entries()) failsWithLine(t, ended[at]!, `error: ${message}`)
  })
}
