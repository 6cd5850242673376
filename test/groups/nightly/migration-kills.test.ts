import { runFiles } from '../../support/run-files.ts'

await runFiles('test/faults/migration-kills.long.test.ts')
