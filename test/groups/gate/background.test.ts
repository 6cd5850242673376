import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/workers/*.long.test.ts',
  'test/{attention,mail,webhooks,witnesses}/*.long.test.ts',
  '!test/workers/raised-versions.long.test.ts',
)
