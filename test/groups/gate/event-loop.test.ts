import { runFiles } from '../../support/run-files.ts'

await runFiles('test/fairness/event-loop.long.test.ts')
