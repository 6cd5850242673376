import t from 'tap'
import { entityTag, matchesEntityTag } from '../../../src/domain/employees/entity-tag.ts'

await t.test('the tag of a version is strong and quoted', async (t) => {
  t.equal(entityTag(12), '"12"')
})

await t.test('If-Match holds when its list has the tag of the version, or is a star', async (t) => {
  for (const sent of ['"3"', '*', ' "3" ', '"1", "3"', '"1","3","5"', '"x" , "3"', ',"3",']) {
    t.equal(matchesEntityTag(sent, 3), true, sent)
  }
})

await t.test('If-Match does not hold for another version, a weak tag, or what is no tag', async (t) => {
  for (const sent of ['"4"', '"33"', '"03"', 'W/"3"', '3', "'3'", '', '""', '"*"', '"1", W/"3"', '"3', '" 3"']) {
    t.equal(matchesEntityTag(sent, 3), false, sent)
  }
})
