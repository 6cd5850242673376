import { runFiles } from '../../support/run-files.ts'

await runFiles('test/pages/*.test.ts', 'test/pages/providers/*.test.ts', 'test/pages/reference/*.test.ts')
