import { hash } from 'node:crypto'
import t from 'tap'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import { sealEvent } from '../../../src/ledger/integrity/codec.ts'
import { formatProofLine } from '../../../src/ledger/read/proof-line.ts'
import { storedRow } from '../../support/ledger/event-row.ts'
import type { Case } from '../../support/ledger/both-verifiers.ts'
import { hasPython, shown, verifyHere, verifyInPython } from '../../support/ledger/both-verifiers.ts'
import { readFrozen } from '../../support/ledger/frozen-ledger.ts'

/*
 * Ledgers that are wrong in one way each, as seen by both verifiers. They are held against no checkpoint, or against a
 * checkpoint at the beginning alone, so that it is this one fault that is found.
 */

const { lines, checkpoints, publicKey } = readFrozen('v1')
const [firstNote = ''] = checkpoints.split(/\n(?=employee-ledger)/)

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
const PATCHED = positionOf('ApiCallCompleted', 1)
const ERASED = positionOf('EmployeeErased')
const GONE = events.findIndex(({ data }) => data === null) + 1

/** The ledger with the event at a position changed, and its data hashed anew. */
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

type Expected = ['invalid', number] | ['diverged' | 'unverifiable', number | null]
const VECTORS: Record<string, { lines: string[] | Buffer; notes?: null; expected: Expected }> = {
  'a count that is not that of the events': {
    lines: changing(PATCHED, {}, { counts: { ...countsOf(PATCHED), total: 2, updated: 2 } }),
    expected: ['invalid', PATCHED],
  },
  'counts that are not there': { lines: changing(PATCHED, {}, { counts: null }), expected: ['invalid', PATCHED] },
  'an operation that nobody knows': {
    lines: changing(PATCHED, {}, { operation: 'delete' }),
    expected: ['invalid', PATCHED],
  },
  'an update that says it was a creation': {
    lines: changing(PATCHED, {}, { operation: 'create' }),
    expected: ['invalid', PATCHED],
  },
  'a record that is said to have changed nothing, and changed': {
    lines: changing(PATCHED, {}, { unchanged: ['emp_01h455vb4pex5vsknk084sn02q'] }),
    expected: ['invalid', PATCHED],
  },
  'an employee who is said to have changed nothing, and changed': {
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
  'an employee who is said twice to have changed nothing': {
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
  'events that are not in the order of the records': {
    lines: changing(positionOf('EmployeeCreated'), { index: 2 }),
    expected: ['invalid', positionOf('EmployeeCreated') + 1],
  },
  'unchanged records of no form': {
    lines: changing(PATCHED, {}, { unchanged: [null] }),
    expected: ['invalid', PATCHED],
  },
  'a failed call that says something was updated': {
    lines: changing(
      positionOf('ApiCallFailed'),
      {},
      { counts: { ...countsOf(positionOf('ApiCallFailed')), updated: 1 } },
    ),
    expected: ['invalid', positionOf('ApiCallFailed')],
  },
  'a call that ends in the middle': {
    lines: lines.slice(0, PATCHED - 1),
    notes: null,
    expected: ['invalid', PATCHED - 1],
  },
  'an event in the call of another': {
    lines: changing(PATCHED, { call_id: 'log_01h455vb4pex5vsknk084sn02q' }),
    expected: ['invalid', PATCHED],
  },
  'a creation outside of any call': {
    lines: changing(positionOf('EmployeeCreated'), { call_id: null }),
    expected: ['invalid', positionOf('EmployeeCreated')],
  },
  'a key that is issued in a call': {
    lines: changing(positionOf('ApiKeyIssued'), { call_id: 'log_01h455vb4pex5vsknk084sn02q' }),
    expected: ['invalid', positionOf('ApiKeyIssued')],
  },
  'an event of a call that names no record': {
    lines: changing(PATCHED - 1, { index: null }),
    expected: ['invalid', PATCHED - 1],
  },
  'a version that is left out': { lines: changing(PATCHED - 1, { version: 3 }), expected: ['invalid', PATCHED - 1] },
  'a time that goes back': {
    lines: changing(PATCHED, { recorded_at: '2020-01-01T00:00:00.000Z' }),
    expected: ['invalid', PATCHED],
  },
  'data that are gone, and nothing says so': { lines: without(PATCHED - 1), expected: ['invalid', PATCHED - 1] },
  'data that are never erased, and are gone': { lines: without(PATCHED), expected: ['invalid', PATCHED] },
  'an erasure that leaves out what is gone': {
    lines: changing(ERASED, {}, { positions: [PATCHED - 1] }),
    expected: ['invalid', GONE],
  },
  'an erasure that names what comes behind it': {
    lines: changing(ERASED, {}, { positions: [ERASED] }),
    expected: ['invalid', ERASED],
  },
  'an erasure that names nothing of its own': {
    lines: changing(ERASED, { type: 'RecordsRetired' }),
    expected: ['invalid', GONE],
  },
  'an erasure without positions': { lines: changing(ERASED, {}, { positions: 'all' }), expected: ['invalid', ERASED] },
  'an event of a type that nobody knows': {
    lines: changing(PATCHED - 1, { type: 'EmployeeMoved' }),
    notes: null,
    expected: ['unverifiable', PATCHED - 1],
  },
  'a schema version that nobody knows': {
    lines: changing(PATCHED - 1, { schema_version: 99 }),
    notes: null,
    expected: ['unverifiable', PATCHED - 1],
  },
  'an unknown type, and a fault of the bytes behind it': {
    lines: changing(PATCHED - 1, { type: 'EmployeeMoved' }).with(
      PATCHED,
      lines[PATCHED]!.replace('salt":"', 'salt":"00'),
    ),
    expected: ['invalid', PATCHED + 1],
  },
  'an unknown type in front of a checkpoint that saw another': {
    lines: changing(positionOf('ApiKeyIssued'), { type: 'ApiKeyFound' }),
    expected: ['diverged', 41],
  },
  'nothing at all': { lines: [], notes: null, expected: ['unverifiable', null] },
  'nothing at all, where there was something': { lines: [], expected: ['diverged', 1] },
  'some other file': { lines: ['{"position":1}\n', '{"position":2}\n'], expected: ['unverifiable', null] },
  'a last line that is cut off': { lines: [lines.join('').slice(0, -1)], expected: ['invalid', lines.length] },
  'a line that is not UTF-8': {
    lines: Buffer.concat([Buffer.from(lines[0]!), Buffer.from(lines[1]!.replace('@', '\u00ff'), 'latin1')]),
    expected: ['invalid', 2],
  },
  'a line with half of a character in it': {
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

await t.test(
  'the ledger itself is consistent and signed, and so is each part of it up to a checkpoint behind the erasures',
  async (t) => {
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
  },
)

for (const [name, vector] of Object.entries(VECTORS)) {
  const [verdict, position] = vector.expected
  await t.test(`${name}: ${verdict}${position === null ? '' : ` at position ${position}`}`, async (t) => {
    const found = await verifyHere(caseOf(vector))
    t.strictSame(shown(found), { verdict, position }, JSON.stringify(found))
  })
}

await t.test(
  'the second verifier says the same of all of them',
  { skip: !hasPython() && 'there is no python3 here' },
  async (t) => {
    const verdicts = await verifyInPython(Object.values(VECTORS).map(caseOf))
    const expected = Object.values(VECTORS).map(({ expected: [verdict, position] }) => ({ verdict, position }))
    t.strictSame(verdicts, expected)
  },
)

await t.test('a line says exactly what was stored, whatever characters are in it', async (t) => {
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
  t.equal((await verifyHere(one)).verdict, 'diverged', 'it is in order, and of another company')
  if (hasPython()) t.strictSame(await verifyInPython([one]), [{ verdict: 'diverged', position: null }])
})
