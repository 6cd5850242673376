import t from 'tap'
import { createClient } from '../../src/postgres/pool.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

const { serviceUrl } = await createTestDatabase(t)
const line = await openDatabaseLine(t, () => Number(new URL(serviceUrl).port))

await t.test('the loss of a connection reaches who waits for an answer, and ends no process', async (t) => {
  const client = createClient({ connectionString: line.through(serviceUrl) })
  await client.connect()
  const answer = client.query('select pg_sleep(60)')
  const failed = t.rejects(answer)
  line.reset()
  await failed
  const idle = createClient({ connectionString: line.through(serviceUrl) })
  await idle.connect()
  const ended = new Promise<void>((resolve) => idle.once('end', resolve))
  line.reset()
  await ended
})
