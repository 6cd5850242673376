import t from 'tap'
import { runShort } from './run-short.ts'

/*
 * One fault, as the short form of `npm run faults`: one process that does everything is killed. `faults.long.test.ts` has
 * the others.
 */

await runShort(t, ['start: killed at random'])
