import t from 'tap'
import type { GatherBounds } from '../../src/admission/batcher.ts'
import { gather, NoTurnError } from '../../src/admission/batcher.ts'

const BOUNDS: GatherBounds<number> = { maxWeight: 1000, weightOf: () => 1, maxWaitMs: 60_000 }

/** Work in which each run lasts until the test ends it. */
function blockedWork() {
  const runs: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = []
  const started: (() => void)[] = []
  return {
    runs,
    /** The items of each run so far. */
    items: () => runs.map(({ items }) => items),
    /** Resolves once this many runs have begun. */
    async begun(count: number) {
      while (runs.length < count) await new Promise<void>((resolve) => started.push(resolve))
    },
    work: (items: number[]) =>
      new Promise<number[]>((resolve, reject) => {
        runs.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject })
        for (const notify of started.splice(0)) notify()
      }),
  }
}

await t.test('items that arrive together share a run, and each gets its own answer', async (t) => {
  const { work, items, begun, runs } = blockedWork()
  const { submit } = gather(work, BOUNDS)
  const answers = Promise.all([submit(1), submit(2), submit(3)])
  await begun(1)
  runs[0]!.finish()
  t.strictSame(await answers, [10, 20, 30])
  t.strictSame(items(), [[1, 2, 3]])
})

await t.test('items that arrive during a run share the next one, and no two runs overlap', async (t) => {
  const { work, items, begun, runs } = blockedWork()
  const { submit } = gather(work, BOUNDS)
  const first = submit(1)
  await begun(1)
  const rest = [submit(2), submit(3)]
  await new Promise((turn) => setImmediate(turn))
  rest.push(submit(4))
  t.strictSame(items(), [[1]], 'nothing begins while a run is under way')
  runs[0]!.finish()
  t.equal(await first, 10)
  await begun(2)
  t.strictSame(items(), [[1], [2, 3, 4]])
  runs[1]!.finish()
  t.strictSame(await Promise.all(rest), [20, 30, 40])
})

await t.test('an item that arrives when nothing is running starts its own run', async (t) => {
  const { work, items, begun, runs } = blockedWork()
  const { submit, idle } = gather(work, BOUNDS)
  for (const item of [1, 2]) {
    const answer = submit(item)
    await begun(item)
    runs[item - 1]!.finish()
    t.equal(await answer, item * 10)
    await idle()
  }
  t.strictSame(items(), [[1], [2]])
})

/**
 * The runs that many holders' items are put into when all are submitted at once. An item is `holder * 1000 + number`.
 */
async function runsOfHolders(bounds: Partial<GatherBounds<number>>, items: number[]): Promise<number[][]> {
  const runs: number[][] = []
  const { submit } = gather<number, null>(
    (taken) => {
      runs.push(taken)
      return Promise.resolve(taken.map(() => null))
    },
    { ...BOUNDS, holderOf: (item) => String(Math.floor(item / 1_000)), ...bounds },
  )
  await Promise.all(items.map((item) => submit(item)))
  return runs
}

await t.test("holders take turns, one item each, and each holder's items keep their order", async (t) => {
  const items = [1_001, 1_002, 1_003, 1_004, 2_001, 3_001, 2_002]
  t.strictSame(await runsOfHolders({ maxWeight: 3 }, items), [[1_001, 2_001, 3_001], [1_002, 2_002, 1_003], [1_004]])
})

await t.test("a holder's only item joins the next run, however many items another holder has waiting", async (t) => {
  const many = Array.from({ length: 500 }, (_, at) => 1_000 + at)
  const runs = await runsOfHolders({ maxWeight: 10 }, [...many, 2_000])
  t.equal(
    runs.findIndex((run) => run.includes(2_000)),
    0,
  )
  t.strictSame(
    runs.flat().filter((item) => item < 2_000),
    many,
  )
})

await t.test('an item that does not fit keeps its turn for the next run', async (t) => {
  const weightOf = (item: number) => item % 1_000
  const runs = await runsOfHolders({ maxWeight: 10, weightOf }, [1_008, 2_009, 3_001, 1_001])
  t.strictSame(runs, [[1_008], [2_009, 3_001], [1_001]])
})

/** The runs that items are put into when all are submitted at once. An item weighs its own value. */
async function runsOf(maxWeight: number, items: number[]): Promise<number[][]> {
  const runs: number[][] = []
  const { submit } = gather<number, null>(
    (taken) => {
      runs.push(taken)
      return Promise.resolve(taken.map(() => null))
    },
    { ...BOUNDS, maxWeight, weightOf: (item) => item },
  )
  await Promise.all(items.map((item) => submit(item)))
  return runs
}

await t.test('a run takes items in the order of arrival, up to its bound', async (t) => {
  t.strictSame(await runsOf(10, [4, 4, 2, 1, 9, 1]), [[4, 4, 2], [1, 9], [1]])
  t.strictSame(await runsOf(10, [4, 7, 3]), [[4], [7, 3]])
})

await t.test('an item heavier than the bound gets its own run', async (t) => {
  t.strictSame(await runsOf(10, [11, 1, 1]), [[11], [1, 1]])
  t.strictSame(await runsOf(10, [1, 50, 50, 1, 0]), [[1], [50], [50], [1, 0]])
  t.strictSame(await runsOf(10, [50, 0]), [[50], [0]])
})

await t.test('an item that waits too long is turned away while the run before it is still going', async (t) => {
  const { work, items, begun, runs } = blockedWork()
  const { submit } = gather(work, { ...BOUNDS, maxWaitMs: 50 })
  const first = submit(1)
  await begun(1)
  await t.rejects(submit(2), NoTurnError)
  const inTime = submit(3)
  runs[0]!.finish()
  await begun(2)
  t.strictSame(items(), [[1], [3]])
  runs[1]!.finish()
  t.strictSame(await Promise.all([first, inTime]), [10, 30])
})

await t.test('when every waiting item has timed out, no empty run starts', async (t) => {
  const { work, items, begun, runs } = blockedWork()
  const { submit, idle } = gather(work, { ...BOUNDS, maxWaitMs: 50 })
  const first = submit(1)
  await begun(1)
  await t.rejects(submit(2), NoTurnError)
  runs[0]!.finish()
  await first
  await idle()
  t.strictSame(items(), [[1]])
})

await t.test('a run that fails rejects its own items, and the next run goes on', async (t) => {
  const { work, begun, runs } = blockedWork()
  const { submit } = gather(work, BOUNDS)
  const failing = [submit(1), submit(2)].map((answer) => t.rejects(answer, { message: 'broken' }))
  await begun(1)
  const next = submit(3)
  runs[0]!.fail(new Error('broken'))
  await Promise.all(failing)
  await begun(2)
  runs[1]!.finish()
  t.equal(await next, 30)
})

await t.test('one item can fail without the others', async (t) => {
  const { submit } = gather<number, number>(
    (items) => Promise.resolve(items.map((item) => (item === 2 ? Promise.reject(new Error('mine')) : item))),
    BOUNDS,
  )
  const answers = await Promise.allSettled([submit(1), submit(2), submit(3)])
  t.strictSame(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

await t.test('idle resolves at once when there is nothing to do', async (t) => {
  await gather(() => Promise.resolve([]), BOUNDS).idle()
  t.pass('it resolved')
})

await t.test('idle waits for the current run and for everything waiting behind it', async (t) => {
  const { work, begun, runs } = blockedWork()
  const { submit, idle } = gather(work, BOUNDS)
  const seen: string[] = []
  const first = submit(1).then(() => seen.push('first'))
  const done = idle().then(() => seen.push('idle'))
  await begun(1)
  const second = submit(2).then(() => seen.push('second'))
  runs[0]!.finish()
  await begun(2)
  t.strictSame(seen, ['first'])
  runs[1]!.finish()
  await Promise.all([first, second, done])
  t.strictSame(seen, ['first', 'second', 'idle'])
})

await t.test('idle resolves even when a run fails', async (t) => {
  const { work, begun, runs } = blockedWork()
  const { submit, idle } = gather(work, BOUNDS)
  const failing = t.rejects(submit(1), { message: 'broken' })
  const done = idle()
  await begun(1)
  runs[0]!.fail(new Error('broken'))
  await failing
  await done
})
