import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { openEmbeddedDatabase } from '../../../src/postgres/embedded/embedded-postgres.ts'
import { TEST_DATA_DIR } from './test-server.ts'

/** Stops the test server, if there is one, and removes its folder. */
export async function stopTestServer(): Promise<void> {
  if (!existsSync(TEST_DATA_DIR)) return
  try {
    // A run on somebody else's cluster has left only addresses.
    if (!existsSync(path.join(TEST_DATA_DIR, 'database.json'))) return
    // Whoever takes and returns the last share stops the server.
    const server = await openEmbeddedDatabase({ dataDir: TEST_DATA_DIR, purpose: 'visit', settings: { fsync: 'off' } })
    await server.release()
  } finally {
    rmSync(TEST_DATA_DIR, { recursive: true, force: true })
  }
}
