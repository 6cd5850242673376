import { runFiles } from '../../support/run-files.ts'

await runFiles('test/*.test.ts', 'test/faults/bugs/*.test.ts')
