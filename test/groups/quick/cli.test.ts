import { runFiles } from '../../support/run-files.ts'

await runFiles('test/cli/*.test.ts', 'test/clients/**/*.test.ts', 'test/spreadsheets/*.test.ts')
