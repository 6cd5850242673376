import { stopTestServer } from './stop-test-server.ts'

await stopTestServer()
