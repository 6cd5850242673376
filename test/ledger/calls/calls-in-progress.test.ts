import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { UnavailableError } from '../../../src/admission/batcher.ts'
import { IdempotencyInProgressError, createCallsInProgress } from '../../../src/ledger/calls/calls-in-progress.ts'
import type { WriteCall } from '../../../src/domain/calls/commands.ts'

const LONG_MS = 60_000
const UNAVAILABLE = new UnavailableError('the ledger could not be written')
const ALONE = {
  announce: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  isBehindAnother: () => Promise.resolve(false),
}

const callOf = (callId: string) =>
  ({
    companyId: 'com',
    caller: { apiId: 'key', secretHash: '' },
    callId,
    idempotency: { keyHash: 'k', requestHash: 'r' },
  }) as WriteCall

/** Starts two calls with the same key, whose ends the test decides. */
function startTwo(maxWaitMs: number) {
  const calls = createCallsInProgress(ALONE, maxWaitMs)
  return ['first', 'second'].map((name) => {
    const end = Promise.withResolvers<string>()
    const answer = calls.run(callOf(name), () => end.promise).catch((error: unknown) => error)
    return { end, answer }
  }) as [Started, Started]
}

interface Started {
  end: PromiseWithResolvers<string>
  answer: Promise<unknown>
}

await t.test('a call that gets no turn while the first one runs is told so', async (t) => {
  const [first, second] = startTwo(LONG_MS)
  second.end.reject(UNAVAILABLE)
  t.ok((await second.answer) instanceof IdempotencyInProgressError)
  first.end.resolve('done')
  t.equal(await first.answer, 'done')
})

await t.test('if both fail because the ledger cannot be written, both say that', async (t) => {
  const [first, second] = startTwo(LONG_MS)
  for (const { end } of [first, second]) end.reject(UNAVAILABLE)
  t.strictSame([await first.answer, await second.answer], [UNAVAILABLE, UNAVAILABLE])
})

await t.test('a call that waits longer than the first one runs is not told that it runs', async (t) => {
  const [first, second] = startTwo(1)
  first.end.resolve('done')
  await first.answer
  let isAnswered = false
  void second.answer.then(() => (isAnswered = true))
  // The longest wait ends long before this timer.
  await new Promise((next) => setTimeout(next, 20))
  await turn()
  t.notOk(isAnswered)
  second.end.resolve('done later')
  t.equal(await second.answer, 'done later')
})

await t.test('a call that waits too long for the first one is told that it runs', async (t) => {
  const [first, second] = startTwo(1)
  t.ok((await second.answer) instanceof IdempotencyInProgressError)
  for (const { end } of [first, second]) end.resolve('done')
  t.equal(await first.answer, 'done')
})
