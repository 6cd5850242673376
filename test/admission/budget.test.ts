import t from 'tap'
import type { BudgetBounds } from '../../src/admission/budget.ts'
import { createBudget } from '../../src/admission/budget.ts'
import { NoTurnError } from '../../src/admission/batcher.ts'

const BOUNDS: BudgetBounds = { total: 40, maxWaiting: 1_000, maxWaitMs: 60_000 }

/** A budget that lists its grants by name, in order. */
function watchedBudget(bounds: Partial<BudgetBounds> = {}) {
  const budget = createBudget({ ...BOUNDS, ...bounds })
  const granted: string[] = []
  const releases = new Map<string, () => void>()
  return {
    granted,
    async ask(name: string, holder: string, amount: number) {
      releases.set(name, await budget.acquire(holder, amount))
      granted.push(name)
    },
    async giveBack(name: string) {
      releases.get(name)!()
      await new Promise((turn) => setImmediate(turn))
    },
  }
}

const turn = () => new Promise((next) => setImmediate(next))

await t.test('a holder gets a quarter; anything more waits, in order, until that holder gives some back', async (t) => {
  const { ask, giveBack, granted } = watchedBudget()
  void ask('a1', 'a', 6)
  void ask('a2', 'a', 6)
  void ask('a3', 'a', 2)
  void ask('b1', 'b', 10)
  await turn()
  t.strictSame(granted, ['a1', 'b1'], 'a3 would fit, but stays behind a2')
  await giveBack('b1')
  t.strictSame(granted, ['a1', 'b1'])
  await giveBack('a1')
  t.strictSame(granted, ['a1', 'b1', 'a2', 'a3'])
})

await t.test('an amount above the share counts as the share: it is granted once its holder has nothing', async (t) => {
  const { ask, giveBack, granted } = watchedBudget()
  void ask('small', 'a', 1)
  void ask('huge', 'a', 1_000)
  await turn()
  t.strictSame(granted, ['small'])
  await giveBack('small')
  t.strictSame(granted, ['small', 'huge'])
})

await t.test('when the total is used up, holders take turns, and nobody overtakes the next in line', async (t) => {
  const { ask, giveBack, granted } = watchedBudget()
  for (const holder of ['a', 'b', 'c', 'd']) void ask(holder, holder, 10)
  void ask('e1', 'e', 10)
  void ask('e2', 'e', 1)
  void ask('f1', 'f', 1)
  await turn()
  t.strictSame(granted.splice(0), ['a', 'b', 'c', 'd'])
  await giveBack('a')
  t.strictSame(granted.splice(0), ['e1'])
  await giveBack('b')
  t.strictSame(granted.splice(0), ['f1'], 'e has its share')
  await giveBack('e1')
  t.strictSame(granted, ['e2'])
})

await t.test('a full queue, or a quarter of it from one holder, turns requests away', async (t) => {
  const budget = createBudget({ ...BOUNDS, total: 4, maxWaiting: 8 })
  const releases = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => budget.acquire(holder, 1)))
  const waiting = ['a', 'a', 'b', 'b', 'c', 'c', 'd'].map((holder) => budget.acquire(holder, 1))
  await t.rejects(budget.acquire('a', 1), NoTurnError, 'a already has two waiting')
  waiting.push(budget.acquire('e', 1))
  await t.rejects(budget.acquire('f', 1), NoTurnError, 'eight wait')
  for (const release of releases) release()
  await Promise.all(waiting.map(async (granted) => (await granted)()))
  ;(await budget.acquire('f', 1))()
})

await t.test('a request that waits too long is turned away, and the next continue', async (t) => {
  const { ask, granted } = watchedBudget({ maxWaitMs: 50 })
  await ask('a1', 'a', 6)
  const large = ask('a2', 'a', 6)
  await t.rejects(large, NoTurnError)
  void ask('a3', 'a', 4)
  await turn()
  t.strictSame(granted, ['a1', 'a3'])
})

await t.test('a request behind one that left the line is served at once', async (t) => {
  const budget = createBudget(BOUNDS)
  await budget.acquire('a', 6)
  const large = budget.acquire('a', 6, performance.now() + 20)
  const small = budget.acquire('a', 4)
  await t.rejects(large, NoTurnError)
  await small
  t.pass('nothing was given back')
})

await t.test(
  'without waiting, an amount is granted at once or refused, even while others wait for the total',
  async (t) => {
    const budget = createBudget({ ...BOUNDS, share: 2, total: 4 })
    const releases = ['a', 'a', 'a', 'b'].map((holder) => budget.tryAcquire(holder, 1))
    t.strictSame(
      releases.map((release) => release !== null),
      [true, true, false, true],
      'a has its share',
    )
    const waiting = budget.acquire('c', 2)
    t.equal(budget.tryAcquire('d', 1), null, 'c comes first')
    releases[0]!()
    ;(await waiting)()
    t.not(budget.tryAcquire('d', 1), null)
  },
)

await t.test('a task that fails gives back what it held', async (t) => {
  const budget = createBudget({ ...BOUNDS, total: 1 })
  await t.rejects(
    budget.hold('a', 1, undefined, () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
  t.equal(await budget.hold('a', 1, undefined, () => Promise.resolve('done')), 'done')
})
