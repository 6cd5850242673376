import t from 'tap'
import type { Mapping } from '../../src/spreadsheets/mapping/mapping.ts'
import { locateColumns } from '../../src/spreadsheets/mapping/mapping.ts'
import { planRows } from '../../src/spreadsheets/rows/plan-rows.ts'
import { openRows } from '../../src/spreadsheets/rows/read-records.ts'
import { doAtOnce } from '../../src/domain/pieces.ts'
import type { Person } from '../support/files/compare-people.ts'
import { comparePeople } from '../support/files/compare-people.ts'
import { answerQuestions, proposeFor } from '../support/files/propose-for.ts'
import type { StaffList } from '../support/files/staff-lists.ts'
import { readStaffLists } from '../support/files/staff-lists.ts'

/* Lists of staff as other systems write them become the people that they list. */

const TODAY = '2026-03-31'

/** Reads the people of a file: the records of rows without faults. */
function readPeople({ header, rows }: StaffList, mapping: Mapping) {
  const file = openRows(header, mapping, TODAY)
  const { plans, order } = doAtOnce(planRows(rows.map(file.readKeys), mapping, (line) => `line ${line}`))
  const faults = [...file.faults]
  const people: Person[] = []
  for (const at of order) {
    const read = file.read(rows[at]!, plans.get(at))
    faults.push(...read.faults, ...read.notes)
    if (read.faults.length > 0 || file.faults.length > 0) continue
    const { manager_email: email, manager_external_id: externalId, ...record } = JSON.parse(read.json)
    const manager = people.find((person) =>
      email ? person.email === email.toLowerCase() : externalId && person['external_id'] === externalId,
    )
    if ((email ?? externalId) !== undefined && !manager)
      faults.push({ line: rows[at]!.line, column: null, message: 'No employee matches this manager' })
    people.push({
      status: 'active',
      ...record,
      email: record.email?.toLowerCase(),
      id: `line ${rows[at]!.line}`,
      manager_id: manager?.id ?? null,
    })
  }
  return { people, faults }
}

/** Lists the columns without values that become what the right answer doesn't say. No person shows this. */
function listUnexpected({ expected, header, rows }: StaffList, mapping: Mapping): string[] {
  const places = locateColumns(header.cells, mapping.columns)
  const isEmpty = (at: number) => rows.every(({ cells }) => (cells[places[at]!] ?? '') === '')
  const right = { ...expected.columns, ...expected.columns_also_right }
  return mapping.columns
    .filter((column, at) => isEmpty(at) && !Object.hasOwn(right, column.header))
    .filter(({ to }) => to !== 'nothing' && to !== 'custom')
    .map(({ header: name, to }) => `${name}: ${to}`)
}

await t.test('the lists of other systems give the right people', async (t) => {
  for (const list of await readStaffLists()) {
    const cells = list.rows.map((row) => row.cells)
    const mapping = answerQuestions(proposeFor(list.header.cells, cells, TODAY), list.expected)
    const { people } = readPeople(list, mapping)
    t.strictSame(comparePeople(list.expected, people), [], list.expected.file_name)
    t.strictSame(listUnexpected(list, mapping), [], `${list.expected.file_name}: columns without values`)
  }
})
