import { runFiles } from '../../support/run-files.ts'

await runFiles('test/fairness/*.long.test.ts')
