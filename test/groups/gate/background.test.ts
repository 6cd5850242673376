import { runFiles } from '../../support/run-files.ts'

await runFiles('test/workers/*.long.test.ts', 'test/{attention,mail,uploads,webhooks,witnesses}/*.long.test.ts')
