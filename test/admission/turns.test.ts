import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { inTurns, isTurnOver, nextTurn } from '../../src/admission/turns.ts'

/** Takes the event loop for this long. */
function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

await t.test(
  'of work in pieces, one piece of work runs in a turn of the event loop, however much there is',
  async (t) => {
    const done: string[] = []
    let turns = 0
    const goOn = async (name: string) => {
      for await (const _ of inTurns([1, 2, 3])) {
        done.push(`${name} ${turns}`)
        work(15)
      }
    }
    const over = new AbortController()
    const others = (async () => {
      while (!over.signal.aborted) {
        await setImmediate()
        turns += 1
      }
    })()
    await Promise.all(['a', 'b', 'c'].map(goOn))
    over.abort()
    await others
    t.equal(done.length, 9)
    t.equal(new Set(done.map((piece) => piece.split(' ')[1])).size, 9, 'each piece has a turn of its own')
    t.strictSame(done.map((piece) => piece[0]).join(''), 'abcabcabc', 'they take turns')
  },
)

await t.test('short pieces share a turn', async (t) => {
  await nextTurn()
  t.notOk(isTurnOver())
  work(15)
  t.ok(isTurnOver())
})

await t.test('work ends when its signal is aborted, also while it waits for its turn', async (t) => {
  const stopping = new AbortController()
  const other = nextTurn()
  const stopped = nextTurn(stopping.signal)
  stopping.abort(new Error('stopped'))
  await t.rejects(stopped, { message: 'stopped' })
  await t.rejects(nextTurn(stopping.signal), { message: 'stopped' })
  await other
})
