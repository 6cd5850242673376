import path from 'node:path'
import t from 'tap'
import { readProfile } from '../../bench/processes/cpu-profile.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

const frame = (functionName: string, file: string) => ({
  functionName,
  url: file === '' ? '' : `file://${ROOT}/${file}`,
  lineNumber: 9,
})

/** handle calls itself and a package. Each sample is one millisecond. */
const PROFILE = {
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 3] },
    { id: 2, callFrame: frame('(idle)', '') },
    { id: 3, callFrame: frame('handle', 'src/http/handle.ts'), children: [4, 5] },
    { id: 4, callFrame: frame('handle', 'src/http/handle.ts'), children: [] },
    { id: 5, callFrame: frame('query', 'node_modules/pg/lib/client.js') },
  ],
  startTime: 0,
  samples: [3, 2, 4, 5, 5, 3],
  timeDeltas: [1000, 1000, 1000, 1000, 1000, 1000],
}

await t.test('a profile is summed by place and function, without idle time and outside samples', async (t) => {
  const dir = t.testdir({ 'made.cpuprofile': JSON.stringify(PROFILE) })
  const found = await readProfile(path.join(dir, 'made.cpuprofile'), 0, 5500)
  const rows = (times: { name: string; ms: number }[]) =>
    times.filter(({ ms }) => ms > 0).map(({ name, ms }) => `${name}: ${ms}`)
  t.strictSame(rows(found.places).toSorted(), ['pg: 2', 'src/http: 2'])
  t.strictSame(rows(found.functions).toSorted(), [
    'handle src/http/handle.ts:10: 2',
    'query node_modules/pg/lib/client.js:10: 2',
  ])
  t.strictSame(rows(found.withCallees), ['handle src/http/handle.ts:10: 4'], 'recursion counts once')
  t.equal(
    found.places.reduce((sum, { share }) => sum + share, 0),
    1,
  )
})
