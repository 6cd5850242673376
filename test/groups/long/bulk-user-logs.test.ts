import { runFiles } from '../../support/run-files.ts'

await runFiles('test/browser/bulk-user-logs/*.long.test.ts')
