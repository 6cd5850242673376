import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/http/pages/*.test.ts',
  'test/http/pages/providers/*.test.ts',
  'test/http/pages/reference/*.test.ts',
)
