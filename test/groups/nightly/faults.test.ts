import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/fuzz/**/*.long.test.ts',
  'test/faults/{faults,interrupted}.long.test.ts',
  'test/faults/citus/*.long.test.ts',
)
