import { runFiles } from '../../support/run-files.ts'

await runFiles('test/cli/[a-k]*.long.test.ts')
