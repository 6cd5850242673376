import { runFiles } from '../../support/run-files.ts'

await runFiles('test/clients/**/*.long.test.ts')
