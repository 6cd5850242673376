import t from 'tap'
import { runShort } from '../run-short.ts'

/*
 * Hostile callers on a whole installation: nobody else is refused for what they do. What `npm test` runs of them, in one
 * process and counted, is in `test/fairness/`.
 */

await runShort(t, ['abusive key', 'stalled uploads', 'huge records'])
