import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import { createNotes } from '../../src/spreadsheets/find-table.ts'
import { readWorkbookRows } from '../../src/spreadsheets/workbook-rows.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'

/* Workbooks that are made to take a reader's time and memory. */

for (const { name, content } of hostileWorkbooks())
  await t.test(`${name} ends with an error, or with the rows that the sheet has`, async (t) => {
    let rows = 0
    try {
      for await (const some of readWorkbookRows({ bytes: content, sheet: null }, createNotes())) rows += some.length
      t.equal(rows, 1)
    } catch (error) {
      t.ok(error instanceof FileError, String(error))
    }
  })
