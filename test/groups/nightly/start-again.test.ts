import { runFiles } from '../../support/run-files.ts'

// It plans how many tests it has, so it shares its process with no other file.
await runFiles('test/cli/start-again.long.test.ts')
