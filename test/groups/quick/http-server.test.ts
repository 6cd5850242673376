import { runFiles } from '../../support/run-files.ts'

await runFiles('test/http/server/*.test.ts', 'test/fuzz/*.test.ts')
