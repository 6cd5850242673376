import { runFiles } from '../../support/run-files.ts'

await runFiles('test/cli/*.long.test.ts', 'test/clients/*.long.test.ts')
