import t from 'tap'
import { runShort } from '../run-short.ts'

/*
 * What `../faults.test.ts` leaves out for the sake of time.
 */

await runShort(t, [
  'COMMIT swallowed',
  'connections reset',
  'silent line',
  'the same job twenty times',
  'start: killed at a point',
  'start: PostgreSQL killed',
  'start: connections lost',
])
