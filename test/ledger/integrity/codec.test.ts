import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import type { NewEvent } from '../../../src/domain/events.ts'
import { EVENT_TYPES, schemaVersionOf } from '../../../src/domain/event-types.ts'
import { fromUuid } from '../../../src/domain/ids.ts'
import { canonicalJson } from '../../../src/ledger/integrity/canonical-json.ts'
import type { Envelope, Origin, SealedEvent, StoredEvent } from '../../../src/ledger/integrity/codec.ts'
import {
  deriveEnvelope,
  readEvent,
  SALT_BYTES,
  sealEvent,
  UnreadableEventError,
} from '../../../src/ledger/integrity/codec.ts'
import type { Head } from '../../../src/ledger/append/company-state.ts'
import { appendLeaves, EMPTY_FRONTIER } from '../../../src/ledger/integrity/merkle.ts'
import { headAt, placeEvents } from '../../../src/ledger/append/company-state.ts'
import { anyCreation, anyJson } from '../../support/domain/arbitraries.ts'
import { storedRow } from '../../support/ledger/event-row.ts'
import { BEFORE, CALL_ID, emp, given, hired, KEY, NOW } from '../../support/domain/given-when-then.ts'

const COMPANY = fromUuid('com', '01930000-0000-7000-8000-0000000000c0')
const ORIGIN: Origin = { companyId: COMPANY, callId: CALL_ID, actor: KEY.id, recordedAt: NOW }
const seal = (event: NewEvent) => sealEvent(event, 42, ORIGIN)

/** The events of any call. */
const anyEvents: fc.Arbitrary<NewEvent[]> = fc.oneof(
  fc.array(anyCreation, { maxLength: 3 }).map((records) => given().create({ employees: records }).events),
  anyJson.map((body) => given().create(body).events),
  anyCreation.map((patch) => given(hired(1)).updateOne(emp(1), patch).events),
)

function sha256(...parts: Uint8Array[]): Buffer {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

const utf8 = (text: string) => Buffer.from(text, 'utf8')
const textOf = (sealed: SealedEvent) => deriveEnvelope(storedRow(sealed))
const envelopeOf = (sealed: SealedEvent) => JSON.parse(textOf(sealed)) as Envelope

await t.test('an envelope has all its fields, in one canonical form', async (t) => {
  const sealed = seal(hired(1))
  t.equal(
    textOf(sealed),
    `{"actor":"${KEY.id}","call_id":"${CALL_ID}","company_id":"${COMPANY}","data_hash":"${envelopeOf(sealed).data_hash}",` +
      `"index":0,"position":42,"recorded_at":"${NOW}","schema_version":1,"stream":"${emp(1)}","type":"EmployeeCreated","version":1}`,
  )
})

await t.test('data hash and leaf can be computed from the stored columns', async () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const event of events) {
        const sealed = seal(event)
        assert.equal(envelopeOf(sealed).data_hash, sha256(sealed.salt, utf8(sealed.data)).toString('hex'))
        assert.deepEqual(sealed.leaf, sha256(Buffer.of(0), utf8(textOf(sealed))))
      }
    }),
  )
})

await t.test('data of any length and language are hashed as they are stored', async (t) => {
  for (const letter of ['a', 'é', '€', '🙂']) {
    for (let length = 5_300; length < 5_460; length += 7) {
      const sealed = seal(hired(1, { custom_attributes: { note: letter.repeat(length / letter.length) } }))
      const expected = sha256(sealed.salt, utf8(sealed.data)).toString('hex')
      if (envelopeOf(sealed).data_hash !== expected) t.fail(`${length} units of ${letter}`)
    }
  }
})

await t.test('envelope and data are canonical', async () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const event of events) {
        const sealed = seal(event)
        const [envelope, { data }] = [textOf(sealed), sealed]
        assert.equal(canonicalJson(JSON.parse(envelope)), envelope)
        assert.equal(canonicalJson(JSON.parse(data)), data)
        assert.ok(
          data.isWellFormed() && !envelope.includes('\0') && !data.includes('\0'),
          'PostgreSQL stores the text unchanged',
        )
      }
    }),
  )
})

await t.test('the envelope has nothing personal: only its hash depends on the data', async () => {
  const anonymous = (event: NewEvent) => ({ ...envelopeOf(seal(event)), data_hash: '' })
  // The schema version of a call's end follows from whether it has a key, and refused records; that of a refused record
  // from whether its errors have parameters.
  const withoutPeople = ({ data }: NewEvent) => {
    if ('counts' in data) {
      const { counts, key, operation, source } = data
      return { counts, key, operation, ...(source && { source }), ...('http_status' in data && { http_status: 0 }) }
    }
    return 'errors' in data ? { errors: data.errors.map(({ params }) => (params ? { params: {} } : {})) } : {}
  }
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const event of events) {
        assert.deepEqual(anonymous(event), anonymous({ ...event, data: withoutPeople(event) } as NewEvent))
      }
    }),
  )
})

await t.test('the salt is 16 fresh bytes, so that equal data have different hashes', async (t) => {
  const sealed = Array.from({ length: 100 }, () => seal(hired(1)))
  t.ok(sealed.every(({ salt }) => salt.length === SALT_BYTES))
  for (const distinct of [
    sealed.map(({ salt }) => salt.toString('hex')),
    sealed.map((event) => envelopeOf(event).data_hash),
    sealed.map(({ leaf }) => leaf.toString('hex')),
  ]) {
    t.equal(new Set(distinct).size, 100)
  }
  t.equal(new Set(sealed.map(({ data }) => data)).size, 1)
})

await t.test('a sealed event reads back with its place', async () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      for (const event of events) {
        const { index, type, stream, version } = event
        assert.deepEqual(readEvent(storedRow(seal(event))), {
          index,
          type,
          stream,
          version,
          actor: KEY.id,
          call_id: CALL_ID,
          position: 42,
          recorded_at: NOW,
          schema_version: schemaVersionOf(event),
          data: JSON.parse(JSON.stringify(event.data)),
        })
      }
    }),
  )
})

await t.test('erased data read as null, and the rest of the event stays', async (t) => {
  const sealed = seal(hired(1))
  const { salt, data } = sealed
  const row: StoredEvent = { ...storedRow(sealed), data: null, salt: null, data_hash: sha256(salt, utf8(data)) }
  t.match(readEvent(row), { type: 'EmployeeCreated', stream: emp(1), position: 42, data: null })
  t.equal(deriveEnvelope(row), textOf(sealed))
})

await t.test('an event cannot be in a stream of another kind, which its row could not store', async (t) => {
  t.throws(() => seal({ ...hired(1), stream: CALL_ID }), TypeError)
})

const altered = (change: Partial<StoredEvent>) => ({ ...storedRow(seal(hired(1))), ...change })

await t.test('an unknown event type is refused, never skipped, even if erased', async (t) => {
  for (const type of ['EmployeeTeleported', 'constructor', 'toString', '__proto__', '']) {
    t.throws(() => readEvent(altered({ type })), UnreadableEventError, type)
    t.throws(() => deriveEnvelope(altered({ type })), UnreadableEventError, type)
    t.throws(() => readEvent({ ...altered({ type }), data: null }), { message: /position 42/ })
  }
})

await t.test('an unknown schema version is refused', async (t) => {
  for (const schema_version of [0, 2]) {
    t.throws(() => readEvent(altered({ schema_version })), UnreadableEventError, String(schema_version))
  }
})

await t.test('every event type has its schema version', async (t) => {
  t.ok(Object.values(EVENT_TYPES).every(({ version }) => Number.isInteger(version) && version >= 1))
})

const HEAD: Head = { companyId: COMPANY, frontier: EMPTY_FRONTIER, recordedAt: BEFORE, generation: null }

await t.test("events take the next positions at the head's time, and the head advances", async (t) => {
  const origin = { callId: CALL_ID, actor: KEY.id }
  const first = placeEvents(HEAD, [hired(1), hired(2)], origin)
  const second = placeEvents(first.head, [hired(3)], origin)
  const all = [...first.placed, ...second.placed]
  t.strictSame(
    all.map(({ event }) => [event.position, event.recorded_at]),
    [1, 2, 3].map((position) => [position, BEFORE]),
  )
  t.strictSame(
    second.head.frontier,
    appendLeaves(
      EMPTY_FRONTIER,
      all.map(({ leaf }) => leaf),
    ),
  )
  t.strictSame(HEAD.frontier, EMPTY_FRONTIER)
})

await t.test('a company’s time never goes back', async (t) => {
  t.equal(headAt(HEAD, NOW).recordedAt, NOW)
  t.equal(headAt({ ...HEAD, recordedAt: NOW }, BEFORE).recordedAt, NOW)
  t.equal(headAt(HEAD, BEFORE).recordedAt, BEFORE)
})
