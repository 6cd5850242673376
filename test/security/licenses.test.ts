import { readFileSync } from 'node:fs'
import t from 'tap'
import { formatPage, listPackages } from '../../docs/licenses.ts'

const lock = readFileSync('package-lock.json', 'utf8')

/** Licenses that let anybody run, change, and pass on the program, if its notices stay. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  '(MIT OR CC0-1.0)',
])

await t.test('every package that the program runs on has a permissive license', async (t) => {
  const packages = listPackages(lock)
  t.ok(packages.get('MIT')?.includes('fastify'))
  t.strictSame(
    [...packages].filter(([license]) => !PERMISSIVE.has(license)),
    [],
  )
})

await t.test('the page of licenses lists them all: npm run licenses', async (t) => {
  t.equal(readFileSync('docs/licenses.md', 'utf8'), formatPage(lock))
})
