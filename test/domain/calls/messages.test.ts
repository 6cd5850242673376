import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { refuseCall } from '../../../src/domain/calls/close-call.ts'
import { problem } from '../../../src/domain/errors.ts'
import { schemaVersionOf } from '../../../src/domain/event-types.ts'
import { codeOf, wordFault, type Fault } from '../../../src/domain/record-faults.ts'
import { hostileRecord, hostileValue } from '../../support/domain/arbitraries.ts'
import { inputs } from '../../support/quick.ts'
import { contextOf, emp, given, hired, left } from '../../support/domain/given-when-then.ts'

const SECRET = 'Canary7Q'

/** A company whose stored texts contain the secret too. */
const company = given(
  hired(1, { email: `${SECRET.toLowerCase()}@example.com`, external_id: SECRET, job_title: SECRET }),
  hired(2, { external_id: 'left', first_name: SECRET }),
  left(2),
)

interface Sent {
  body: unknown
  decision: CallDecision
}

function sentTo(decide: (body: unknown) => CallDecision) {
  return (body: unknown): Sent => ({ body, decision: decide(body) })
}

const records = fc.array(hostileRecord(SECRET), { maxLength: 4 })
const anyCall: fc.Arbitrary<Sent> = fc.oneof(
  records.map((employees) => ({ employees })).map(sentTo(company.create)),
  records.map(sentTo(company.update)),
  hostileRecord(SECRET).map(sentTo((body) => company.updateOne(emp(1), body))),
  fc.oneof(hostileRecord(SECRET), hostileValue(SECRET)).map(sentTo(company.create)),
  hostileValue(SECRET).map(sentTo(company.update)),
  hostileValue(SECRET)
    .map((employees) => ({ employees, [SECRET]: SECRET }))
    .map(sentTo(company.update)),
)

await t.test('no message or detail repeats anything sent or stored', async (t) => {
  let messages = 0
  const check = ({ decision: { problem } }: Sent) => {
    for (const text of [problem?.detail ?? '', ...(problem?.errors ?? []).map(({ message }) => message)]) {
      assert.doesNotMatch(text, new RegExp(SECRET, 'i'))
      messages += 1
    }
  }
  fc.assert(fc.property(anyCall, check), { numRuns: inputs(300, 1000) })
  t.ok(messages > inputs(300, 1000), 'there were enough messages')
})

/** The stored errors of refused records. */
function storedErrors({ events }: CallDecision) {
  return events.flatMap((event) => (event.type === 'EmployeeRecordRejected' ? event.data.errors : []))
}

await t.test('the stored errors are exactly those in the answer', async () => {
  const check = ({ decision }: Sent) => {
    const { problem, events } = decision
    if (!problem) return
    assert.deepEqual(
      storedErrors(decision).map(({ pointer, code, message }) => ({ pointer, code, message })),
      problem.errors.map(({ pointer, code, message }) => ({ pointer, code, message })),
    )
    const closing = events.at(-1)
    assert.ok(closing?.type === 'ApiCallFailed')
    const { http_status, code, detail } = closing.data
    assert.deepEqual([http_status, code, detail], [problem.status, problem.code, problem.detail])
  }
  fc.assert(fc.property(anyCall, check))
})

await t.test('a stored error has what its message is made of, which is nothing that was sent', async (t) => {
  const kinds = new Set<Fault['kind']>()
  const check = ({ decision }: Sent) => {
    for (const { code, message, params } of storedErrors(decision)) {
      assert.ok(params)
      const read = JSON.parse(JSON.stringify(params)) as Fault
      assert.deepEqual({ code, message }, { code: codeOf(read), message: wordFault(read) })
      assert.doesNotMatch(JSON.stringify(params), new RegExp(SECRET, 'i'))
      kinds.add(params.kind)
    }
  }
  fc.assert(fc.property(anyCall, check), { numRuns: inputs(300, 1000) })
  t.ok(kinds.size > 10, 'there were enough kinds of faults')
})

await t.test('what is refused for the whole call has no parameters, which version 1 can hold', async (t) => {
  const ofRecord = company.updateOne(emp(1), { phone: '12' }).events[0]!
  t.equal(schemaVersionOf(ofRecord), 2)
  const refused = refuseCall(problem('key_disabled', 'The API key is disabled'), 1, contextOf('update_one'), {
    locator: { id: emp(1) },
    record: {},
  })
  t.equal(refused.events[0]!.type, 'EmployeeRecordRejected')
  t.equal(schemaVersionOf(refused.events[0]!), 1)
})

await t.test('every pointer leads to a place in the body, or to where a missing field belongs', async () => {
  const check = ({ body, decision: { problem } }: Sent) => {
    for (const { pointer, code } of problem?.errors ?? []) {
      const path = code === 'required' ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer
      assert.notEqual(valueAt(body, path), undefined, pointer)
    }
  }
  fc.assert(fc.property(anyCall, check), { numRuns: inputs(100, 500) })
})

/** RFC 6901 section 4. */
function valueAt(body: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>((value, name) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    return isThere ? (value as Record<string, unknown>)[name] : undefined
  }, body)
}

await t.test('a fault that a later version stored has words, too', async (t) => {
  t.equal(wordFault({ kind: 'of_tomorrow' } as never), 'Only a later version of the service can say why')
})
