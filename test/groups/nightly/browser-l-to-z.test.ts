import { runFiles } from '../../support/run-files.ts'

await runFiles('test/browser/[l-z]*.long.test.ts', '!test/browser/{monday-morning,roles}.long.test.ts')
