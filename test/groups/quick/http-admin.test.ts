import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/api/admin/*.test.ts',
  'test/api/admin/bulk-user-logs/*.test.ts',
  'test/api/admin/failed-records/*.test.ts',
  'test/api/audit/*.test.ts',
  'test/http/live/*.test.ts',
)
