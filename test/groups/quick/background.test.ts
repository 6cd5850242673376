import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/workers/*.test.ts',
  'test/webhooks/*.test.ts',
  'test/mail/*.test.ts',
  'test/witnesses/*.test.ts',
  'test/attention/*.test.ts',
  'test/uploads/*.test.ts',
  'test/fairness/*.test.ts',
)
