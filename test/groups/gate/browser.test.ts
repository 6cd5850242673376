import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/browser/{first-day,monday-morning,roles}.long.test.ts',
  'test/browser/sign-in/sign-in.long.test.ts',
)
