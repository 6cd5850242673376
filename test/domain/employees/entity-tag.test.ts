import t from 'tap'
import { entityTag, explainFailure, findFailedCondition } from '../../../src/domain/employees/entity-tag.ts'

const match = (ifMatch: string, version: number | null) =>
  findFailedCondition({ ifMatch, ifNoneMatch: undefined }, version)
const noneMatch = (ifNoneMatch: string, version: number | null) =>
  findFailedCondition({ ifMatch: undefined, ifNoneMatch }, version)

await t.test("a version's tag is strong and quoted", async (t) => {
  t.equal(entityTag(12), '"12"')
})

await t.test("If-Match holds when its list has the version's tag, or is a star", async (t) => {
  for (const sent of ['"3"', '*', ' "3" ', '"1", "3"', '"1","3","5"', '"x" , "3"', ',"3",', 'W/"3"', '"1", W/"3"'])
    t.equal(match(sent, 3), null, sent)
})

await t.test('what a server appends to the tag of a compressed answer is not another version', async (t) => {
  for (const sent of ['"3-gzip"', '"3--gzip"', 'W/"3-br"', '"3;gzip"', '"3:zstd"']) {
    t.equal(match(sent, 3), null, sent)
    t.equal(match(sent, 4), 'If-Match', sent)
    t.equal(noneMatch(sent, 3), 'If-None-Match', sent)
  }
  for (const sent of ['"3-gzipped"', '"3-"', '"-gzip"', '"3-4"']) t.equal(match(sent, 3), 'If-Match', sent)
})

await t.test('If-Match does not hold for another version, or for a malformed tag', async (t) => {
  for (const sent of ['"4"', '"33"', '"03"', 'W/"4"', '3', "'3'", '', '""', '"*"', 'w/"3"', '"3', '" 3"'])
    t.equal(match(sent, 3), 'If-Match', sent)
})

await t.test(
  "If-None-Match does not hold when its list has the version's tag, weak or strong, or a star",
  async (t) => {
    for (const sent of ['"3"', 'W/"3"', '*', '"1", W/"3"']) t.equal(noneMatch(sent, 3), 'If-None-Match', sent)
    for (const sent of ['"4"', 'W/"4"', '3', '', 'w/"3"']) t.equal(noneMatch(sent, 3), null, sent)
  },
)

await t.test('a tag of no version is told so, and is not called another version', async (t) => {
  const explain = (ifMatch: string) =>
    explainFailure('If-Match', { ifMatch, ifNoneMatch: undefined }, 'another version')
  for (const sent of ['3', "'3'", '', '"3', '3, 4', '""', '"v3"', '"03"', 'w/"3"'])
    t.match(explain(sent), /quotation marks, such as "3"/, sent)
  for (const sent of ['"4"', 'W/"4"', '3, "4"']) t.equal(explain(sent), 'another version', sent)
})

await t.test('what has no tag matches a star alone', async (t) => {
  t.equal(match('"3"', null), 'If-Match')
  t.equal(match('*', null), null)
  t.equal(noneMatch('"3"', null), null)
  t.equal(noneMatch('*', null), 'If-None-Match')
})

await t.test('If-Match comes first, and a request without conditions meets them', async (t) => {
  t.equal(findFailedCondition({ ifMatch: '"2"', ifNoneMatch: '"3"' }, 3), 'If-Match')
  t.equal(findFailedCondition({ ifMatch: undefined, ifNoneMatch: undefined }, 3), null)
})
