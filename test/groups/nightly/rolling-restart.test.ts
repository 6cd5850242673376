import { runFiles } from '../../support/run-files.ts'

await runFiles('test/faults/rolling-restart.long.test.ts')
