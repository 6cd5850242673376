import { runFiles } from '../../support/run-files.ts'

await runFiles('test/browser/*/*.long.test.ts', '!test/browser/sign-in/sign-in.long.test.ts')
