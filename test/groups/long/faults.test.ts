import { runFiles } from '../../support/run-files.ts'

await runFiles('test/faults/faults.long.test.ts')
