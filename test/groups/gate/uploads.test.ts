import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/uploads/*.long.test.ts',
  'test/spreadsheets/{random-lists,random-systems,read-apart}.long.test.ts',
  'test/pages/uploads.long.test.ts',
)
