import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/clients/**/*.long.test.ts',
  'test/spreadsheets/*.long.test.ts',
  '!test/spreadsheets/read-apart.long.test.ts',
)
