import { runFiles } from '../../support/run-files.ts'

await runFiles('test/cli/[l-z]*.long.test.ts', 'test/clients/*.long.test.ts')
