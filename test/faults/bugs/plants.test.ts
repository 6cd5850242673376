import { readFileSync } from 'node:fs'
import t from 'tap'
import { PLANTS } from './plants.ts'

await t.test("every plant's text is in the sources exactly once", async (t) => {
  const all = Object.entries(PLANTS).flatMap(([name, plants]) => plants.map((plant) => ({ name, ...plant })))
  for (const { name, file, find, put } of all) {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    t.equal(source.split(find).length - 1, 1, `${name}, in ${file}`)
    t.not(find, put)
  }
})
