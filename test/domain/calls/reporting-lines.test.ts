import t from 'tap'
import { cyclesFrom } from '../../../src/domain/calls/reporting-lines.ts'
import { emp, faultsOf, given, hired } from '../../support/domain/given-when-then.ts'

const chain = (length: number) => (id: string) => (Number(id) < length ? String(Number(id) + 1) : null)

await t.test('a chain without a circle has none, wherever it is entered', async (t) => {
  t.strictSame(cyclesFrom(['0', '5', '9'], chain(10)), new Set())
})

await t.test('only people on the circle are found, not those below it', async (t) => {
  const managers: Record<string, string> = { below: 'a', a: 'b', b: 'c', c: 'a', alone: 'alone' }
  t.strictSame(
    cyclesFrom(['below', 'alone'], (id) => managers[id] ?? null),
    new Set(['a', 'b', 'c', 'alone']),
  )
})

await t.test('each person is looked up once, however many chains pass through them', async (t) => {
  let asked = 0
  const counting = (id: string) => {
    asked += 1
    return chain(10_000)(id)
  }
  cyclesFrom(
    Array.from({ length: 1_000 }, (_, at) => String(at)),
    counting,
  )
  t.equal(asked, 10_001)
})

await t.test('of two records about one person, neither decides who reports to whom', async (t) => {
  const people = [hired(1), hired(2), hired(3)] as const
  const [toSecond, toThird] = [2, 3].map((number) => ({ id: emp(1), manager_id: emp(number) }))
  const twice = (first: number, second: number) => [first, second].map((index) => `/${index}/id duplicate_in_batch`)
  const second = { id: emp(2), manager_id: emp(1) }
  t.strictSame(faultsOf(given(...people).update([toSecond, toThird, second])), twice(0, 1))
  t.strictSame(faultsOf(given(...people).update([toThird, toSecond, second])), twice(0, 1))
  t.strictSame(faultsOf(given(...people).update([second, toThird, toSecond])), twice(1, 2))
  const below = [hired(1, { manager_id: emp(2) }), hired(2), hired(3)] as const
  const leaving = [toThird, { id: emp(1), manager_id: null }]
  t.strictSame(faultsOf(given(...below).update([...leaving, second])), [
    '/0/id duplicate_in_batch',
    '/0/manager_id manager_cycle',
    '/1/id duplicate_in_batch',
    '/2/manager_id manager_cycle',
  ])
})

await t.test(
  'a client sends back what it read, also if the manager was erased; nobody else gets that manager',
  async (t) => {
    const company = given(hired(1), hired(2, { manager_id: emp(9) }))
    t.match(company.update([{ id: emp(2), job_title: 'Dev', manager_id: emp(9) }]).outcomes, [
      { changed: ['job_title'] },
    ])
    t.strictSame(faultsOf(company.update([{ id: emp(1), manager_id: emp(9) }])), ['/0/manager_id manager_not_found'])
  },
)
