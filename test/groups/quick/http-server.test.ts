import { runFiles } from '../../support/run-files.ts'

await runFiles('test/http/server/*.test.ts', 'test/http/openapi/*.test.ts', 'test/fuzz/*.test.ts')
