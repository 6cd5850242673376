import t from 'tap'
import { FileError } from '../../src/spreadsheets/file-error.ts'
import { UNANSWERED } from '../../src/spreadsheets/file-question.ts'
import { createNotes } from '../../src/spreadsheets/find-table.ts'
import { readApart } from '../../src/spreadsheets/process/read-apart.ts'
import { hostileWorkbooks } from '../support/files/hostile-workbooks.ts'

/* Workbooks that are made to take a reader's time and memory. */

for (const { name, content } of hostileWorkbooks())
  await t.test(`${name} ends with an error, or with the rows that the sheet has`, async (t) => {
    let rows = 0
    const began = performance.now()
    try {
      for await (const { items } of readApart([content], UNANSWERED, createNotes())) rows += items.length
      t.equal(rows, 1)
    } catch (error) {
      t.ok(error instanceof FileError, String(error))
      t.comment(`${content.length} bytes, ${Math.round(performance.now() - began)} ms: ${(error as Error).message}`)
    }
  })
