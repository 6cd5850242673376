import { runFiles } from '../../support/run-files.ts'

await runFiles('test/ledger/**/*.test.ts')
