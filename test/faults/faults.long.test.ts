import t from 'tap'
import { runShort } from './run-short.ts'

/* Runs each fault that `faults.test.ts` leaves out, once. */

await runShort(t, [
  'API killed at a point',
  'worker killed at a point',
  'PostgreSQL stopped at once',
  'answer to COMMIT swallowed',
  'killed in turn',
  'everything killed',
  'COMMIT swallowed',
  'connections reset',
  'silent line',
  'read models rebuilt',
  'companies changed in parallel',
  'the same job twenty times',
  'alerts while killed',
  'start: killed at a point',
  'start: PostgreSQL killed',
  'start: connections lost',
])
