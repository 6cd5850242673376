import { runFiles } from '../../support/run-files.ts'

await runFiles('test/browser/[a-k]*.long.test.ts', '!test/browser/first-day.long.test.ts')
