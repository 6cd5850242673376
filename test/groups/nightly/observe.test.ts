import { runFiles } from '../../support/run-files.ts'

await runFiles('test/observe/*.long.test.ts', 'test/support/*.long.test.ts', 'test/deployment/*.long.test.ts')
