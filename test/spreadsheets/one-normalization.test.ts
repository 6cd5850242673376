import t from 'tap'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { USUAL_CHOICES } from '../../src/spreadsheets/mapping/mapping.ts'
import { NamedPeople } from '../../src/spreadsheets/rows/named-people.ts'
import { keysOfRecord, planRows, type RowKeys } from '../../src/spreadsheets/rows/plan-rows.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'

/* Files compare texts as calls do: without what nobody sees at their ends, however their letters are composed. */

const BLANKS = ['\u0085', '\u061c', '\u180e', '\u200b', '\u200e', '\u2060']
const [COMPOSED, DECOMPOSED] = ['J\u00fcrgen-7', 'Ju\u0308rgen-7']
const FORMS = [COMPOSED, DECOMPOSED, ...BLANKS.flatMap((blank) => [`${DECOMPOSED}${blank}`, `${blank}${COMPOSED}`])]

const mapping = {
  ...USUAL_CHOICES,
  columns: [
    { header: 'id', to: 'external_id' as const },
    { header: 'title', to: 'job_title' as const },
  ],
}
const file = openRows({ line: 1, cells: ['id', 'title'] }, mapping, '2026-03-31')
const employee = {
  id: 'emp_1',
  email: null,
  external_id: COMPOSED,
  employee_number: null,
  first_name: '',
  last_name: '',
}
const keysOf = (id: string): RowKeys[] => [
  file.readKeys({ line: 2, cells: [id, 'Dev'] }),
  { ...keysOfRecord({ external_id: id }), line: 2 },
]

await t.test('whoever is in a file under any form of an id is not missing', async (t) => {
  for (const keys of FORMS.flatMap(keysOf)) {
    const named = new NamedPeople()
    named.add(keys)
    t.ok(named.has(employee), escape(JSON.stringify(keys)))
  }
})

await t.test(
  'two rows about one person are refused, whatever the forms of the id, also in different parts',
  async (t) => {
    for (const [one] of FORMS.map(keysOf)) {
      const rows = [
        { ...keysOf(COMPOSED)[0]!, line: 2, digest: 'one' },
        { ...one!, line: 3, digest: 'other' },
      ]
      const { plans } = doAtOnce(planRows(rows, { shared_emails: 'refuse' }, (line) => `line ${line}`))
      t.match(Object.fromEntries(plans), { 0: { faults: [/in the file again/] }, 1: { faults: [/in the file again/] } })
    }
  },
)

await t.test('a cell of only blanks is empty, and keeps the value if empty cells do', async (t) => {
  for (const blank of BLANKS) {
    const { json } = file.read({ line: 2, cells: ['X-1', ` ${blank}`] })
    t.strictSame(JSON.parse(json), { external_id: 'X-1' }, escape(blank))
  }
})
