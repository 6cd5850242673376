import t from 'tap'
import { CITUS_FAULTS } from './citus/citus-faults.ts'
import { CITUS_BIN } from './citus/machines.ts'
import { runShort } from './run-short.ts'

/* Each fault of a Citus cluster, once. */

if (CITUS_BIN === undefined) await t.test('faults of a cluster', { skip: 'CITUS_BIN names no programs with Citus' })
else await runShort(t, Object.keys(CITUS_FAULTS))
