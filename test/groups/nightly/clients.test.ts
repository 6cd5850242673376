import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/clients/**/*.long.test.ts',
  'test/spreadsheets/*.long.test.ts',
  '!test/spreadsheets/{random-lists,random-systems,read-apart}.long.test.ts',
)
