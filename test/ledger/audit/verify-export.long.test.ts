import { hash } from 'node:crypto'
import t from 'tap'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { sealEvent } from '../../../src/ledger/integrity/codec.ts'
import { formatProofLine } from '../../../src/ledger/read/export-pages.ts'
import { storedRow } from '../../support/ledger/event-row.ts'
import type { Case } from '../../support/ledger/both-verifiers.ts'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { readFrozen } from '../../support/ledger/frozen-ledger.ts'

/* Both verifiers find the one fault of each ledger. Its only checkpoint is early, so that nothing else is wrong. */

const { lines, checkpoints, publicKey } = readFrozen('1.0.0')
const [firstNote = ''] = checkpoints.split(/\n(?=employee-ledger)/)
const FIRST_SIZE = Number(firstNote.split('\n')[1])

interface Line {
  envelope: Record<string, unknown>
  data: string | null
  salt: string | null
}

const read = (text: string): Line => {
  const { envelope, ...line } = JSON.parse(text)
  return { ...line, envelope: JSON.parse(envelope) }
}
const written = ({ envelope, data, salt }: Line) =>
  `${JSON.stringify({ envelope: canonicalJson(envelope), data, salt })}\n`
const events = lines.map(read)
const positionOf = (type: string, nth = 0) =>
  events.flatMap(({ envelope }, at) => (envelope['type'] === type ? [at + 1] : []))[nth]!
const CREATED = positionOf('ApiCallCompleted')
const PATCHED = positionOf('ApiCallCompleted', 1)
const ERASED = positionOf('EmployeeErased')
const GONE = events.findIndex(({ data }) => data === null) + 1

/** The ledger with the event at a position changed, and its data hashed again. */
function changing(position: number, envelope: Record<string, unknown>, data?: Record<string, unknown>): string[] {
  const line = read(lines[position - 1]!)
  const merged = data === undefined ? line.data : canonicalJson({ ...JSON.parse(line.data!), ...data })
  const data_hash =
    merged === null
      ? line.envelope['data_hash']
      : hash('sha256', Buffer.concat([Buffer.from(line.salt!, 'hex'), Buffer.from(merged)]), 'hex')
  return lines.with(
    position - 1,
    written({ ...line, data: merged, envelope: { ...line.envelope, data_hash, ...envelope } }),
  )
}

const countsOf = (position: number) => JSON.parse(events[position - 1]!.data!).counts as Record<string, number>
const without = (position: number) =>
  lines.with(position - 1, written({ ...read(lines[position - 1]!), data: null, salt: null }))
const ofPosition = (position: number) => events[position - 1]!.envelope

type Expected = ['invalid', number] | ['diverged' | 'unverifiable', number | null] | ['consistent', null]
const VECTORS: Record<string, { lines: string[] | Buffer; notes?: null; expected: Expected }> = {
  'a count that differs from the events': {
    lines: changing(PATCHED, {}, { counts: { ...countsOf(PATCHED), total: 2, updated: 2 } }),
    expected: ['invalid', PATCHED],
  },
  'missing counts': { lines: changing(PATCHED, {}, { counts: null }), expected: ['invalid', PATCHED] },
  'an unknown operation': {
    lines: changing(PATCHED, {}, { operation: 'delete' }),
    expected: ['invalid', PATCHED],
  },
  'an update recorded as a creation': {
    lines: changing(PATCHED, {}, { operation: 'create' }),
    expected: ['invalid', PATCHED],
  },
  'an update that created employees': {
    lines: changing(CREATED, {}, { operation: 'update_many' }),
    expected: ['invalid', CREATED],
  },
  'an upsert that created employees': {
    lines: changing(CREATED, {}, { operation: 'upsert' }),
    notes: null,
    expected: ['consistent', null],
  },
  'an unchanged record that changed': {
    lines: changing(PATCHED, {}, { unchanged: ['emp_01h455vb4pex5vsknk084sn02q'] }),
    expected: ['invalid', PATCHED],
  },
  'an unchanged employee who changed': {
    lines: changing(
      PATCHED,
      {},
      {
        operation: 'update_many',
        unchanged: [ofPosition(PATCHED - 1)['stream']],
        counts: { ...countsOf(PATCHED), total: 2, no_updates: 1 },
      },
    ),
    expected: ['invalid', PATCHED],
  },
  'an employee listed twice as unchanged': {
    lines: changing(
      PATCHED,
      {},
      {
        operation: 'update_many',
        unchanged: ['emp_01h455vb4pex5vsknk084sn02q', 'emp_01h455vb4pex5vsknk084sn02q'],
        counts: { ...countsOf(PATCHED), total: 3, no_updates: 2 },
      },
    ),
    expected: ['invalid', PATCHED],
  },
  'events out of record order': {
    lines: changing(positionOf('EmployeeCreated'), { index: 2 }),
    expected: ['invalid', positionOf('EmployeeCreated') + 1],
  },
  'malformed unchanged records': {
    lines: changing(PATCHED, {}, { unchanged: [null] }),
    expected: ['invalid', PATCHED],
  },
  'a failed call with an update': {
    lines: changing(
      positionOf('ApiCallFailed'),
      {},
      { counts: { ...countsOf(positionOf('ApiCallFailed')), updated: 1 } },
    ),
    expected: ['invalid', positionOf('ApiCallFailed')],
  },
  'an incomplete call': {
    lines: lines.slice(0, PATCHED - 1),
    notes: null,
    expected: ['invalid', PATCHED - 1],
  },
  'an event of another call': {
    lines: changing(PATCHED, { call_id: 'log_01h455vb4pex5vsknk084sn02q' }),
    expected: ['invalid', PATCHED],
  },
  'a creation outside a call': {
    lines: changing(positionOf('EmployeeCreated'), { call_id: null }),
    expected: ['invalid', positionOf('EmployeeCreated')],
  },
  'a key issued in a call': {
    lines: changing(positionOf('ApiKeyIssued'), { call_id: 'log_01h455vb4pex5vsknk084sn02q' }),
    expected: ['invalid', positionOf('ApiKeyIssued')],
  },
  'a webhook changed in a call': {
    lines: changing(positionOf('WebhookChanged'), { call_id: 'log_01h455vb4pex5vsknk084sn02q' }),
    expected: ['invalid', positionOf('WebhookChanged')],
  },
  "missing data of a webhook's event": {
    lines: without(positionOf('WebhookCreated')),
    expected: ['invalid', positionOf('WebhookCreated')],
  },
  'an unknown event of a webhook': {
    lines: changing(positionOf('WebhookCreated'), { type: 'WebhookFound' }),
    expected: ['unverifiable', positionOf('WebhookCreated')],
  },
  'an event without its record index': {
    lines: changing(PATCHED - 1, { index: null }),
    expected: ['invalid', PATCHED - 1],
  },
  'a skipped version': { lines: changing(PATCHED - 1, { version: 3 }), expected: ['invalid', PATCHED - 1] },
  'a time that goes back': {
    lines: changing(PATCHED, { recorded_at: '2020-01-01T00:00:00.000Z' }),
    expected: ['invalid', PATCHED],
  },
  'missing data without an erasure': { lines: without(PATCHED - 1), expected: ['invalid', PATCHED - 1] },
  'missing data of a type that is never erased': { lines: without(PATCHED), expected: ['invalid', PATCHED] },
  'an erasure that omits erased data': {
    lines: changing(ERASED, {}, { positions: [PATCHED - 1] }),
    expected: ['invalid', GONE],
  },
  'an erasure that names itself': {
    lines: changing(ERASED, {}, { positions: [ERASED] }),
    expected: ['invalid', ERASED],
  },
  'an erasure of the wrong type': {
    lines: changing(ERASED, { type: 'RecordsRetired' }),
    expected: ['invalid', GONE],
  },
  'an erasure without positions': { lines: changing(ERASED, {}, { positions: 'all' }), expected: ['invalid', ERASED] },
  'an unknown event type': {
    lines: changing(PATCHED - 1, { type: 'EmployeeMoved' }),
    notes: null,
    expected: ['unverifiable', PATCHED - 1],
  },
  'an unknown schema version': {
    lines: changing(PATCHED - 1, { schema_version: 99 }),
    notes: null,
    expected: ['unverifiable', PATCHED - 1],
  },
  'an unknown type before a damaged line': {
    lines: changing(PATCHED - 1, { type: 'EmployeeMoved' }).with(
      PATCHED,
      lines[PATCHED]!.replace('salt":"', 'salt":"00'),
    ),
    expected: ['invalid', PATCHED + 1],
  },
  'an unknown type before a checkpoint that differs': {
    lines: changing(positionOf('ApiKeyIssued'), { type: 'ApiKeyFound' }),
    expected: ['diverged', FIRST_SIZE],
  },
  'an empty file': { lines: [], notes: null, expected: ['unverifiable', null] },
  'an empty file with a checkpoint': { lines: [], expected: ['diverged', 1] },
  'another kind of file': { lines: ['{"position":1}\n', '{"position":2}\n'], expected: ['unverifiable', null] },
  'a cut-off last line': { lines: [lines.join('').slice(0, -1)], expected: ['invalid', lines.length] },
  'a line that is not UTF-8': {
    lines: Buffer.concat([Buffer.from(lines[0]!), Buffer.from(lines[1]!.replace('@', '\u00ff'), 'latin1')]),
    expected: ['invalid', 2],
  },
  'a line with a lone surrogate': {
    lines: lines.with(1, lines[1]!.replace('admin@', '\\ud800@')),
    expected: ['invalid', 2],
  },
  'a checkpoint of another company': {
    lines: lines.map((line) => line.replaceAll(String(ofPosition(1)['company_id']), 'com_01h455vb4pex5vsknk084sn02q')),
    expected: ['diverged', null],
  },
}

function caseOf({ lines: given, notes }: (typeof VECTORS)[string]): Case {
  const bytes = Buffer.isBuffer(given) ? given : Buffer.from(given.join(''))
  return { bytes, checkpoints: notes === null ? null : Buffer.from(firstNote), publicKey }
}

await t.test('the unchanged ledger is consistent and signed', async (t) => {
  const verdict = await verifyHere({
    bytes: Buffer.from(lines.join('')),
    checkpoints: Buffer.from(checkpoints),
    publicKey,
  })
  t.match(verdict, {
    verdict: 'consistent',
    events: lines.length,
    checked_to: lines.length,
    signed_to: lines.length,
    checkpoints: 3,
  })
})

for (const [name, vector] of Object.entries(VECTORS)) {
  const [verdict, position] = vector.expected
  await t.test(`${name}: ${verdict}${position === null ? '' : ` at position ${position}`}`, async (t) => {
    const found = await verifyHere(caseOf(vector))
    t.strictSame(shown(found), { verdict, position }, JSON.stringify(found))
  })
}

await t.test(
  'the second verifier gives the same verdicts',
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const verdicts = await verifyInPython(Object.values(VECTORS).map(caseOf))
    const expected = Object.values(VECTORS).map(({ expected: [verdict, position] }) => ({ verdict, position }))
    t.strictSame(verdicts, expected)
  },
)

await t.test('a line has exactly the stored data, whatever its characters', async (t) => {
  const event = {
    type: 'CompanyRegistered',
    stream: 'com_01h455vb4pex5vsknk084sn02q',
    version: 1,
    index: null,
    data: { name: '\u0000\u001f"\\\u2028é🙂\u007f' },
  } as const
  const origin = { companyId: event.stream, callId: null, actor: 'operator', recordedAt: '2026-01-01T00:00:00.000Z' }
  const bytes = Buffer.from(formatProofLine(storedRow(sealEvent(event, 1, origin))))
  t.match(JSON.parse(JSON.parse(bytes.toString()).data), event.data)
  const one = { bytes, checkpoints: Buffer.from(checkpoints), publicKey }
  t.equal((await verifyHere(one)).verdict, 'diverged', 'valid, but of another company')
  if (hasPython()) t.strictSame(await verifyInPython([one]), [{ verdict: 'diverged', position: null }])
})
