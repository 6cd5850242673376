import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { openEmbeddedDatabase } from '../../../src/postgres/embedded/embedded-postgres.ts'
import { TEST_DATA_DIR } from './test-server.ts'

/** Stops the server in a folder, if there is one, and removes the folder. */
export async function stopTestServer(dataDir = TEST_DATA_DIR): Promise<void> {
  if (!existsSync(dataDir)) return
  try {
    // A run on somebody else's cluster has left only addresses.
    if (!existsSync(path.join(dataDir, 'database.json'))) return
    // Whoever takes and returns the last share stops the server.
    const server = await openEmbeddedDatabase({ dataDir, purpose: 'visit', settings: { fsync: 'off' } })
    await server.release()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
