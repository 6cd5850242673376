import { readFileSync } from 'node:fs'
import t from 'tap'
import { formatPage, listPackages } from '../../docs/licences.ts'

const lock = readFileSync('package-lock.json', 'utf8')

/** Licences that let anybody run, change, and pass on the program, if its notices stay. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  '(MIT OR CC0-1.0)',
])

await t.test('every package that the program runs on has a permissive licence', async (t) => {
  const others = listPackages(lock).filter(({ licence }) => !PERMISSIVE.has(licence))
  t.strictSame(others, [])
})

await t.test('the page of licences lists them all: npm run licences', async (t) => {
  t.equal(readFileSync('docs/licences.md', 'utf8'), formatPage(lock))
})
