import { runFiles } from '../../support/run-files.ts'

await runFiles('test/http/access/*.test.ts', 'test/http/sign-in/*.test.ts')
