import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { CallDecision } from '../../../src/domain/calls/call-decision.ts'
import { hostileRecord, hostileValue } from '../../support/domain/arbitraries.ts'
import { inputs } from '../../support/quick.ts'
import { emp, given, hired, left } from '../../support/domain/given-when-then.ts'

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

await t.test('the stored errors are exactly those in the answer', async () => {
  const check = ({ decision: { problem, events } }: Sent) => {
    if (!problem) return
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'EmployeeRecordRejected' ? event.data.errors : [])),
      problem.errors.map(({ pointer, code, message }) => ({ pointer, code, message })),
    )
    const closing = events.at(-1)
    assert.ok(closing?.type === 'ApiCallFailed')
    const { http_status, code, detail } = closing.data
    assert.deepEqual([http_status, code, detail], [problem.status, problem.code, problem.detail])
  }
  fc.assert(fc.property(anyCall, check))
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
