import t from 'tap'
import { CITUS_FAULTS } from './citus-faults.ts'
import { CITUS_BIN } from './machines.ts'
import { runShort } from '../run-short.ts'

/* Each fault of a Citus cluster, once. */

const onCitus = CITUS_BIN === undefined ? { skip: 'CITUS_BIN names no programs of Citus' } : {}

await t.test('faults of a cluster', onCitus, (t) => runShort(t, Object.keys(CITUS_FAULTS)))
