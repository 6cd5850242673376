import { runFiles } from '../../support/run-files.ts'

await runFiles('test/fairness/*.long.test.ts', '!test/fairness/event-loop.long.test.ts')
