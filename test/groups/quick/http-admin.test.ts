import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/http/admin/*.test.ts',
  'test/http/admin/bulk-user-logs/*.test.ts',
  'test/http/admin/failed-records/*.test.ts',
  'test/http/audit/*.test.ts',
  'test/http/live/*.test.ts',
)
