import t from 'tap'
import { runShort } from './run-short.ts'

/*
 * The short form of `npm run faults`: one fault, in which the only process is killed. `faults.long.test.ts` has the
 * others.
 */

await runShort(t, ['start: killed at random'])
