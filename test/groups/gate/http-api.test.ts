import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/http/admin/*.long.test.ts',
  'test/http/admin/bulk-user-logs/*.long.test.ts',
  'test/http/v1/*.long.test.ts',
  'test/http/audit/*.long.test.ts',
)
