import t from 'tap'
import { addRemedy } from '../../src/postgres/embedded/postgres-server.ts'

await t.test('a /dev/shm that is too small is told with what to do, and other faults as they are', (t) => {
  const fault = 'could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device'
  t.match(addRemedy(fault), /^could not resize .* less than 4 MB; make it larger/)
  t.equal(addRemedy('the disk is full'), 'the disk is full')
  t.end()
})
