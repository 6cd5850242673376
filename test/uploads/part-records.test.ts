import t from 'tap'
import { USUAL_CHOICES } from '../../src/spreadsheets/mapping/mapping.ts'
import { readPart } from '../../src/uploads/part-records.ts'

await t.test('pages show the beginning of a long cell', async (t) => {
  const header = ['external_id', 'first_name']
  const columns = header.map((name) => ({ header: name, to: 'as_named' as const }))
  const upload = { header, mapping: { ...USUAL_CHOICES, columns }, createdAt: '2026-03-31T00:00:00.000Z' }
  const rows = ['@'.repeat(200_000), 'Ana'].map((name, at) => ({ row: at + 1, line: at + 2, cells: [`E-${at}`, name] }))
  const { examples, body } = await readPart(upload, rows)
  t.strictSame(examples, [
    ['E-0', 'E-1'],
    [`${'@'.repeat(200)}…`, 'Ana'],
  ])
  t.match(body[0], { first_name: rows[0]!.cells[1] }, 'and the whole cell is sent')
})
