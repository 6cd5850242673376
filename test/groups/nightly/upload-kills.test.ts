import { runFiles } from '../../support/run-files.ts'

await runFiles('test/faults/upload-kills.long.test.ts', 'test/faults/corrections-at-once.long.test.ts')
