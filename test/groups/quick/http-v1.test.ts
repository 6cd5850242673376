import { runFiles } from '../../support/run-files.ts'

await runFiles('test/http/v1/*.test.ts')
