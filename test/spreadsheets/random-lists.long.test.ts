import t from 'tap'
import { loadList, type Outcome, OUTCOMES } from '../support/files/random-lists/load-list.ts'
import { writeList } from '../support/files/random-lists/write-list.ts'
import { inputs } from '../support/quick.ts'

/* Lists that no program was taught: random people, written by random systems in twenty languages. */

const LISTS = inputs(300, 10_000)
/** The share of the lists that are right when what is asked is answered, and nothing is corrected by hand. */
const RIGHT = 0.7

await t.test('nothing of a random list is wrong in silence, and most lists need answers only', async (t) => {
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  const wrong: string[] = []
  let questions = 0
  for (let seed = 1; seed <= LISTS; seed += 1) {
    const { outcome, why, questions: asked } = await loadList(writeList(seed))
    counts[outcome] += 1
    questions += asked.length
    if (outcome === 'silently_wrong' || outcome === 'leavers_wrong')
      wrong.push(`${seed}: ${why.slice(0, 3).join('; ')}`)
  }
  t.comment(`${JSON.stringify(counts)}, ${(questions / LISTS).toFixed(1)} questions a list`)
  t.strictSame(wrong, [])
  t.ok((counts.right + counts.right_asked) / LISTS >= RIGHT, JSON.stringify(counts))
})
