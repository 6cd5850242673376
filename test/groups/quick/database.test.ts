import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/postgres/*.test.ts',
  'test/projections/*.test.ts',
  'test/erasure/*.test.ts',
  'test/security/*.test.ts',
  'test/observe/*.test.ts',
)
