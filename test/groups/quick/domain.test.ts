import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/domain/**/*.test.ts',
  'test/bodies/*.test.ts',
  'test/accounts/*.test.ts',
  'test/accounts/secrets/*.test.ts',
  'test/admission/*.test.ts',
  'test/accounts/oidc/*.test.ts',
  'test/bench/*.test.ts',
)
