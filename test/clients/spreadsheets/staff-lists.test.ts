import t from 'tap'
import { collectSamples } from '../../../clients/typescript/spreadsheets/column-samples.ts'
import type { Mapping } from '../../../clients/typescript/spreadsheets/mapping.ts'
import { listQuestions } from '../../../clients/typescript/spreadsheets/mapping.ts'
import { planRows } from '../../../clients/typescript/spreadsheets/plan-rows.ts'
import { proposeMapping } from '../../../clients/typescript/spreadsheets/propose-mapping.ts'
import { openRows } from '../../../clients/typescript/spreadsheets/read-records.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import type { Expected, Person } from '../../support/files/compare-people.ts'
import { comparePeople } from '../../support/files/compare-people.ts'
import type { StaffList } from '../../support/files/staff-lists.ts'
import { readStaffLists } from '../../support/files/staff-lists.ts'

/* Lists of staff as other systems write them become the people that they list. */

const TODAY = '2026-03-31'

function propose({ header, rows }: StaffList): Mapping {
  const { sample, add } = collectSamples(header.cells.length)
  for (const { cells } of rows) add(cells)
  return doAtOnce(proposeMapping(header.cells, sample, TODAY))
}

/** Answers the questions as the administrator would. */
function answer(mapping: Mapping, { hints }: Expected): Mapping {
  return {
    ...mapping,
    columns: mapping.columns.map((column) => ({
      ...column,
      ...(column.words
        ? {
            words: Object.fromEntries(
              Object.entries(column.words).map(([word, is]) => [word, hints.status_words?.[word] ?? is]),
            ),
          }
        : {}),
    })),
    unreadable_values: 'leave_out',
    past_end_dates: hints.past_end_date === 'inactive' ? 'deactivate' : 'keep',
    country: hints.country ?? null,
  }
}

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

await t.test('the lists of twelve systems give the right people', async (t) => {
  for (const list of await readStaffLists()) {
    const mapping = answer(propose(list), list.expected)
    const { people, faults } = readPeople(list, mapping)
    t.strictSame(comparePeople(list.expected, people), [], list.expected.file_name)
    if (process.env['SHOW'])
      t.comment(
        list.expected.file_name,
        listQuestions(propose(list)),
        mapping.columns.map((c) => [c.header, c.to, c.by, c.dates, c.words]),
        faults,
      )
  }
})
