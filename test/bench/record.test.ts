import t from 'tap'
import { drawCalls } from '../../bench/record/draw-calls.ts'
import { findDifferences } from '../../bench/record/find-differences.ts'
import { createNaming } from '../../bench/record/name-generated.ts'

const kindsOf = (before: string, after: string) => findDifferences('answer', before, after).map(({ kind }) => kind)

await t.test('texts that differ in any byte have a difference', async (t) => {
  t.strictSame(kindsOf('{"a":1}', '{"a":1}'), [])
  t.strictSame(kindsOf('{"a":1}', '{"a": 1}'), ['the same JSON in other bytes'])
  t.strictSame(kindsOf('{"a":1}', '{"a":1.0}'), ['the same JSON in other bytes'])
  t.strictSame(kindsOf('{"a":0}', '{"a":-0}'), ['a: number → number'])
  t.strictSame(kindsOf('{"a":1,"b":2}', '{"b":2,"a":1}'), ['the whole: members in another order'])
  t.strictSame(kindsOf('{"a":[{"b":null}]}', '{"a":[{"b":null,"c":[1]}]}'), ['c: absent → 1+ items'])
  t.strictSame(kindsOf('{', '{"a":1}'), ['another text'])
})

await t.test('messages about different records, positions and ids are of one kind', async (t) => {
  const error = (message: string) => JSON.stringify({ errors: [{ index: 0, pointer: '/0/email', message }] })
  const kinds = [1, 2].flatMap((at) => kindsOf(error(`record ${at} has <emp call ${at}.1>`), error(`record ${at}`)))
  t.strictSame(kinds, Array(2).fill('message: "record n has <…>" → "record n"'))
})

await t.test('what a version generates has the same name in every text, and equal texts stay equal', async (t) => {
  const [one, other] = [createNaming(), createNaming()]
  const [id, otherId] = [`emp_${'0'.repeat(25)}1`, `emp_${'0'.repeat(25)}2`]
  t.equal(one(`"${id}"`, 'call 0'), '"<emp call 0.1>"')
  t.equal(other(`"${otherId}"`, 'call 0'), '"<emp call 0.1>"')
  t.equal(one(`${otherId} ${id}`, 'call 1'), '<emp call 1.1> <emp call 0.1>')
  t.equal(one('"duration_ms":12,"at":"2026-11-20T15:01:40.325Z"', 'x'), '"duration_ms":"-","at":"<time x.1>"')
})

await t.test('a seed draws the same calls each time, and only what the older version knows', async (t) => {
  const draw = (isKnown: boolean) => drawCalls(7, 300, (word) => isKnown || word !== 'all_or_none')
  t.strictSame(draw(true), draw(true))
  t.ok(draw(true).some(({ path }) => path.includes('all_or_none')))
  t.notOk(draw(false).some(({ path }) => path.includes('all_or_none')))
})
