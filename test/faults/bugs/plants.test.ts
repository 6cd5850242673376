import { readFileSync } from 'node:fs'
import t from 'tap'
import { PLANTS } from './plants.ts'

await t.test("every plant's text is in the sources exactly once", async (t) => {
  for (const [name, { file, find, put }] of Object.entries(PLANTS)) {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    t.equal(source.split(find).length - 1, 1, `${name}, in ${file}`)
    t.not(find, put)
  }
})
