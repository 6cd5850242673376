import t from 'tap'
import { PartBuilder } from '../../src/uploads/part-builder.ts'

/* A part holds no more than a body may have, whatever the rows of a file are. */

await t.test('a row that a file repeats very often makes no part larger than a body', async (t) => {
  const bodyLimit = 65_536
  const builder = new PartBuilder({ maxRecords: 10, bodyLimit })
  const row = Buffer.from(JSON.stringify({ row: 1, cells: ['x'.repeat(1_000)] }))
  const added = { row, bytes: row.length, manager: null }
  t.equal(builder.add({ ...added, more: {}, line: 1 }), null)
  for (let line = 2; line < 1_000; line += 1) builder.add({ ...added, more: { plan: { repeats: 'line 1' } }, line })
  const other = builder.add({ ...added, more: {}, line: 1_000 })
  t.equal(other?.rows, 1)
  t.ok(other!.content.length < bodyLimit + 2 * row.length, `${other!.content.length} bytes`)
  const last = builder.end()
  t.equal(last.rows, 1)
  t.equal((JSON.parse(last.content.toString()) as unknown[]).length, 1)
})
