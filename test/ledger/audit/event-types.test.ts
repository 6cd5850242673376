import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { CALL_SOURCES } from '../../../src/domain/call-sources.ts'
import { EVENT_TYPES, isOfCall } from '../../../src/domain/event-types.ts'
import { isSingle, OPERATION_NAMES, rulesOf } from '../../../src/domain/operations.ts'
import { hasPython } from '../../support/ledger/both-verifiers.ts'
import { FROZEN, isReleased, listClosings, readFrozen } from '../../support/ledger/frozen-ledger.ts'

/* A verifier refuses to judge types that it does not know, so auditors must find all of them in the format of exports. */

/** The rows that the table “Event types” of docs/audit-format.md must have: types that only differ by name share one. */
const ROWS = [
  ...Map.groupBy(Object.entries(EVENT_TYPES), ([, { stream, version, isOfCall, erasedBy = [] }]) => {
    const versions = Array.from({ length: version }, (_, at) => at + 1).join(', ')
    const erasing = erasedBy.map((name) => `\`${name}\``).join(', ')
    return `\`${stream}\` | ${versions} | ${isOfCall ? 'yes' : ''} | ${erasing} |`.replaceAll(/ +/g, ' ')
  }),
].map(([same, types]) => `| ${types.map(([type]) => `\`${type}\``).join(', ')} | ${same}`)

await t.test(
  'the format of exports lists every event type: if this fails, replace the rows of its table',
  async (t) => {
    const listed =
      readFileSync('docs/audit-format.md', 'utf8').match(/^\| `[A-Z]\w+`(?:, `\w+`)* \| `[a-z]{3}` .*$/gm) ?? []
    t.strictSame(listed, ROWS)
  },
)

/** What both the table “The counts of a call” and the second verifier must have for each operation, in this order. */
const OPERATION_ROWS = OPERATION_NAMES.map((name) => {
  const { creates, failing, since } = rulesOf(name)
  const records = isSingle(name) ? 'one' : 'many'
  return [name, records, creates, failing, since.ApiCallCompleted, since.ApiCallFailed]
})

await t.test('the format of exports lists every operation: if this fails, replace the rows of its table', async (t) => {
  const listed = readFileSync('docs/audit-format.md', 'utf8').match(/^\| `[a-z_]+` \| (?:one|many) \|.*$/gm) ?? []
  const rows = OPERATION_ROWS.map(([name, ...rules]) => `| \`${name}\` | ${rules.join(' | ')} |`)
  t.strictSame(listed, rows)
})

await t.test(
  'the second verifier knows every event type and operation',
  { skip: !hasPython() && 'no python3' },
  async (t) => {
    const print = `
import json, runpy
known = runpy.run_path('docs/verify_ledger.py')
print(json.dumps([sorted(known['KNOWN']), sorted(known['OF_CALL']), known['VERSIONS'], [[name, *rules] for name, rules in known['OPERATIONS'].items()]]))`
    const { stdout } = spawnSync('python3', ['-c', print], { encoding: 'utf8' })
    const later = Object.entries(EVENT_TYPES).filter(([, { version }]) => version > 1)
    const versions = Object.fromEntries(later.map(([type, { version }]) => [type, version]))
    const ofCall = Object.keys(EVENT_TYPES).filter(isOfCall).toSorted()
    t.strictSame(JSON.parse(stdout), [Object.keys(EVENT_TYPES).toSorted(), ofCall, versions, OPERATION_ROWS])
  },
)

const CLOSING = ['ApiCallCompleted', 'ApiCallFailed'] as const

await t.test('an operation needs schema versions that no program knows which was released before it', async (t) => {
  const released = FROZEN.filter((release) => isReleased(release)).flatMap((release) => listClosings(release))
  t.ok(released.length > 0)
  for (const name of OPERATION_NAMES) {
    for (const type of CLOSING) {
      const since = rulesOf(name).since[type]
      t.ok(since <= EVENT_TYPES[type].version, `${type} has a schema version ${since}, which ${name} needs`)
      if (released.some(({ operation }) => operation === name)) continue
      const known = released.filter((closing) => closing.type === type).map(({ version }) => version)
      t.ok(since > Math.max(...known), `${name} needs a version of ${type} after ${Math.max(...known)}`)
    }
  }
})

await t.test('a recorded ledger has calls of every source', async (t) => {
  const recorded = new Set(FROZEN.flatMap((release) => listClosings(release).map(({ source }) => source)))
  t.strictSame([...recorded].toSorted(), CALL_SOURCES.toSorted())
})

await t.test('a recorded ledger has every operation, completed and failed', async (t) => {
  const recorded = FROZEN.flatMap((release) =>
    listClosings(release).map(({ type, operation }) => `${type} ${operation}`),
  )
  const today = OPERATION_NAMES.flatMap((name) => CLOSING.map((type) => `${type} ${name}`))
  t.strictSame(
    today.filter((known) => !recorded.includes(known)),
    [],
  )
})

await t.test('the page of versions names the events that each version adds or gives a newer schema', async (t) => {
  const page = readFileSync('docs/versioning.md', 'utf8')
  const [before, version] = FROZEN.slice(-2)
  const typesOf = (release: string) =>
    readFrozen(release).lines.map((line) => {
      const { type, schema_version: schema } = JSON.parse(JSON.parse(line).envelope)
      return `${type} ${schema}`
    })
  const known = new Set(typesOf(before!))
  const added = typesOf(version!).filter((type) => !known.has(type))
  const [, told = ''] =
    new RegExp(`^### From ${before} to ${version}$[^]*?^- \\*\\*Events\\*\\*:([^]*?)^- `, 'm').exec(page) ?? []
  t.strictSame(
    new Set([...told.matchAll(/`([A-Z]\w+)`/g)].map(([, type]) => type)),
    new Set(added.map((type) => type.split(' ')[0])),
  )
})
