import { runFiles } from '../../support/run-files.ts'

await runFiles('test/browser/[a-k]*.long.test.ts')
