import { runFiles } from '../../support/run-files.ts'

await runFiles('test/postgres/*.long.test.ts', 'test/accounts/**/*.long.test.ts')
