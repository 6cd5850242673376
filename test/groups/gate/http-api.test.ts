import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/api/admin/*.long.test.ts',
  'test/api/admin/bulk-user-logs/*.long.test.ts',
  'test/api/v1/*.long.test.ts',
  'test/api/scim/*.long.test.ts',
  'test/api/audit/*.long.test.ts',
  'test/http/server/*.long.test.ts',
  '!test/api/admin/bulk-user-logs/{csv-streaming,stream,stream-end}.long.test.ts',
  '!test/api/audit/{events-stream,events-streaming,go-tiles}.long.test.ts',
  '!test/http/server/log-canaries.long.test.ts',
)
