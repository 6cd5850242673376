import t from 'tap'
import { runShort } from './run-short.ts'

/*
 * The short form of `npm run faults`: one run of the faults that say most. More of them are in `full/`.
 */

await runShort(t, [
  'API killed at a point',
  'worker killed at a point',
  'PostgreSQL stopped at once',
  'answer to COMMIT swallowed',
  'everything killed',
  'start: killed at random',
])
