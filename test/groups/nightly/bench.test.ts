import { runFiles } from '../../support/run-files.ts'

await runFiles('test/bench/*.long.test.ts', 'test/backup/*.long.test.ts')
