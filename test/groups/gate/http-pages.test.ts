import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/http/access/*.long.test.ts',
  'test/pages/*.long.test.ts',
  'test/pages/providers/*.long.test.ts',
  'test/pages/reference/*.long.test.ts',
  'test/http/live/*.long.test.ts',
  'test/http/sign-in/*.long.test.ts',
  'test/http/openapi/*.long.test.ts',
  '!test/http/openapi/{generated-clients,openapi-lint}.long.test.ts',
  '!test/pages/uploads.long.test.ts',
  '!test/pages/reference/samples.long.test.ts',
)
