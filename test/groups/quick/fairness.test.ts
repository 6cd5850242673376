import { runFiles } from '../../support/run-files.ts'

await runFiles('test/fairness/*.test.ts')
