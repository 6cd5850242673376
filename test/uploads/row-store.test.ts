import t from 'tap'
import { newId } from '../../src/ledger/new-id.ts'
import { planParts } from '../../src/uploads/plan-parts.ts'
import { RowStore } from '../../src/uploads/row-store.ts'

/* How many bytes the rows of a file take while they are read and become parts. */

const MIB = 1_048_576
const limits = { maxRecords: 1_000, bodyLimit: 8 * MIB }
const BLOCKS = 8

/** Rows of about 8 MiB. */
function fillStore(): RowStore {
  const rows = new RowStore(limits)
  const text = 'é'.repeat(500)
  for (let row = 1; row <= 8_000; row += 1) rows.add({ row, record: { external_id: `E-${row}`, first_name: text } })
  return rows
}

await t.test('rows are read as they were added, also in another order', async (t) => {
  const rows = new RowStore(limits)
  const texts = ['a', 'é'.repeat(MIB), '', '😀']
  for (const [at, text] of texts.entries()) rows.add({ row: at + 1, record: text })
  t.strictSame(
    [...rows].map(({ record }) => record),
    texts,
  )
  rows.arrange([3, 2, 1, 0])
  t.strictSame(
    [...rows].map(({ record }) => record),
    texts.toReversed(),
  )
  for (const at of texts.keys()) t.equal(JSON.parse(rows.take(at).toString()).record, texts.at(-1 - at))
  t.equal(rows.heldBytes, 0)
})

await t.test('rows take hardly more memory than their bytes', async (t) => {
  const rows = fillStore()
  t.ok(rows.heldBytes <= (BLOCKS + 1) * MIB)
})

await t.test('rows are not held beside the parts that they become, which are made one by one', async (t) => {
  const rows = fillStore()
  const none = async () => 0
  const facts = { newId, today: '2026-03-31', countAbsent: none, countLinkable: none, countReturning: none }
  const { parts } = await planParts({ header: null, mapping: null, rows }, limits, new Map(), facts)
  let left = rows.heldBytes
  let made = 0
  for await (const { content, firstRow } of parts) {
    t.equal(firstRow, made * limits.maxRecords + 1)
    made += 1
    t.ok(rows.heldBytes < left || made === 1, `part ${made} takes the place of its rows`)
    t.ok(rows.heldBytes + made * content.length <= (BLOCKS + 2) * MIB, 'and no other part is made yet')
    left = rows.heldBytes
  }
  t.strictSame([made, rows.heldBytes], [8, 0])
})
