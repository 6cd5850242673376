import t from 'tap'
import { isManagerUnknown, planRows, type RowKeys } from '../../src/spreadsheets/rows/plan-rows.ts'
import { doAtOnce } from '../../src/domain/pieces.ts'

/* What the rows of a file say about each other. */

const plan = (shared_emails: 'refuse' | 'leave_out', ...rows: Omit<RowKeys, 'line'>[]) => {
  const numbered = rows.map((row, at) => ({ ...row, line: at + 2 }))
  return Object.fromEntries(doAtOnce(planRows(numbered, { shared_emails }, (line) => `line ${line}`)).plans)
}
const email = 'shared@example.com'
const again = (line: number) => [
  `The email of this row is in the file again: a file may change an employee only once (line ${line})`,
]

await t.test('an address is shared only between people with ids of their own', async (t) => {
  const [one, other, nobody] = [{ external_id: '1', email }, { external_id: '2', email }, { email }]
  t.strictSame(plan('leave_out', one, other), { 1: { isEmailLeftOut: true } })
  t.match(plan('refuse', one, other), { 0: { faults: [/somebody else, too.*line 3/] }, 1: { faults: [/line 2/] } })
  const [first, second] = [
    { id: 'emp_1', external_id: '1' },
    { id: 'emp_1', external_id: '2' },
  ]
  t.match(plan('leave_out', first, second), {
    0: { faults: [/The id .*in the file again.*keep the row of the main one/] },
    1: { faults: [/The id /] },
  })
  for (const rows of [
    [one, nobody],
    [nobody, one],
    [nobody, nobody],
  ] as const)
    t.strictSame(plan('leave_out', ...rows), { 0: { faults: again(3) }, 1: { faults: again(2) } })
})

await t.test('a manager who may be several people can be left out, as one whom nobody knows', async (t) => {
  const names = ['ana perez']
  const manager = { by: 'full_name', text: 'Ana Perez' } as const
  const { 2: found } = plan(
    'refuse',
    { external_id: '1', names },
    { external_id: '2', names },
    { external_id: '3', manager },
  )
  t.match(found, { manager: { fault: 'is several people: line 2, line 3' } })
  t.ok(isManagerUnknown(found!))
})
