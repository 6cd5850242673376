import t from 'tap'
import { entityTag, matchesEntityTag } from '../../../src/domain/employees/entity-tag.ts'

await t.test("a version's tag is strong and quoted", async (t) => {
  t.equal(entityTag(12), '"12"')
})

await t.test("If-Match matches when its list has the version's tag, or is a star", async (t) => {
  for (const sent of ['"3"', '*', ' "3" ', '"1", "3"', '"1","3","5"', '"x" , "3"', ',"3",']) {
    t.equal(matchesEntityTag(sent, 3), true, sent)
  }
})

await t.test('If-Match does not match another version, a weak tag, or a malformed tag', async (t) => {
  for (const sent of ['"4"', '"33"', '"03"', 'W/"3"', '3', "'3'", '', '""', '"*"', '"1", W/"3"', '"3', '" 3"']) {
    t.equal(matchesEntityTag(sent, 3), false, sent)
  }
})
