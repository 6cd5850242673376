import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { EVENT_TYPES } from '../../../src/domain/event-types.ts'
import { hasPython } from '../../support/ledger/both-verifiers.ts'

/* A verifier refuses to judge types that it does not know, so auditors must find all of them in the format of exports. */

/** The row that the table “Event types” of docs/audit-format.md must have for each type, in this order. */
const ROWS = Object.entries(EVENT_TYPES).map(([type, { stream, version, isOfCall, erasedBy = [] }]) => {
  const versions = Array.from({ length: version }, (_, at) => at + 1).join(', ')
  const erasing = erasedBy.map((name) => `\`${name}\``).join(', ')
  return ['', `\`${type}\``, `\`${stream}\``, versions, isOfCall ? 'yes' : '', erasing, '']
    .join(' | ')
    .trim()
    .replaceAll('|  |', '| |')
})

await t.test(
  'the format of exports lists every event type: if this fails, replace the rows of its table',
  async (t) => {
    const listed = readFileSync('docs/audit-format.md', 'utf8').match(/^\| `[A-Z]\w+` \|.*$/gm) ?? []
    t.strictSame(
      listed.map((row) => row.replaceAll(/ +/g, ' ')),
      ROWS.map((row) => row.replaceAll(/ +/g, ' ')),
    )
  },
)

await t.test(
  'the second verifier knows every event type in all its schema versions',
  { skip: !hasPython() && 'no python3' },
  async (t) => {
    const print = `import runpy
its = runpy.run_path('docs/verify_ledger.py')
print(*sorted('%s %d' % (kind, its['VERSIONS'].get(kind, 1)) for kind in its['KNOWN']), sep='\\n')`
    const { stdout } = spawnSync('python3', ['-c', print], { encoding: 'utf8' })
    t.strictSame(
      stdout.trim().split('\n'),
      Object.entries(EVENT_TYPES)
        .map(([type, { version }]) => `${type} ${version}`)
        .toSorted(),
    )
  },
)
