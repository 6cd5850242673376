import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/workers/raised-versions.long.test.ts',
  'test/api/admin/bulk-user-logs/{csv-streaming,stream,stream-end}.long.test.ts',
  'test/api/audit/{events-stream,events-streaming,go-tiles}.long.test.ts',
  'test/http/server/log-canaries.long.test.ts',
  'test/pages/reference/samples.long.test.ts',
  'test/http/openapi/{generated-clients,openapi-lint}.long.test.ts',
  'test/ledger/evidence/evidence-altered.long.test.ts',
  'test/ledger/append/{key-in-progress,two-processes}.long.test.ts',
  'test/ledger/audit/{cosignature,go-verifier}.long.test.ts',
)
