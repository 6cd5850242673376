import t from 'tap'
import { createWindowCounts } from '../../../src/http/access/rate-limits.ts'

const WINDOW_MS = 60_000

function counts({ max = 3, kept = 100 } = {}) {
  let at = 0
  const counted = createWindowCounts({ max, kept, windowMs: WINDOW_MS, now: () => at })
  const fail = (key: string) => counted.begin(key)(true)
  return { ...counted, fail, pass: (ms: number) => (at += ms) }
}

await t.test('only failures count, and a success leaves nothing behind', async (t) => {
  const { begin, fail, secondsToWait } = counts()
  for (let at = 0; at < 100; at += 1) begin('a')(false)
  t.equal(secondsToWait('a'), 0)
  for (let at = 0; at < 3; at += 1) fail('a')
  t.equal(secondsToWait('a'), WINDOW_MS / 1_000)
  t.equal(secondsToWait('b'), 0)
})

await t.test('simultaneous tries are let in up to the limit, and successes make room again', async (t) => {
  const { begin, secondsToWait } = counts()
  const ends = [begin('a'), begin('a'), begin('a')]
  t.equal(secondsToWait('a'), 1, 'their outcome is known in a moment')
  ends[0]!(false)
  t.equal(secondsToWait('a'), 0)
  ends[1]!(true)
  ends[2]!(true)
  t.equal(secondsToWait('a'), 0)
  begin('a')(true)
  t.equal(secondsToWait('a'), WINDOW_MS / 1_000)
})

await t.test('a window ends after its time, and a try still running counts in the next one', async (t) => {
  const { begin, fail, pass, secondsToWait } = counts({ max: 2 })
  const end = begin('a')
  fail('a')
  pass(WINDOW_MS - 1)
  t.equal(secondsToWait('a'), 1)
  pass(1)
  t.equal(secondsToWait('a'), 0)
  fail('a')
  end(true)
  t.ok(secondsToWait('a') > 1)
})

await t.test('the number of keys is bounded, and the oldest goes first', async (t) => {
  const { fail, secondsToWait } = counts({ max: 1, kept: 10 })
  for (let at = 0; at < 1_000; at += 1) fail(`key ${at}`)
  const held = Array.from({ length: 1_000 }, (_, at) => at).filter((at) => secondsToWait(`key ${at}`) > 0)
  t.strictSame(
    held,
    Array.from({ length: 10 }, (_, at) => 990 + at),
  )
})
