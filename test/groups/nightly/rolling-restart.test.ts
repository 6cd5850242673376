import { runFiles } from '../../support/run-files.ts'

await runFiles('test/faults/*-restart.long.test.ts')
