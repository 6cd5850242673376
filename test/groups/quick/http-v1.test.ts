import { runFiles } from '../../support/run-files.ts'

await runFiles('test/api/v1/*.test.ts', 'test/api/scim/*.test.ts')
