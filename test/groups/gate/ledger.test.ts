import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/ledger/**/*.long.test.ts',
  'test/properties/*.long.test.ts',
  'test/projections/*.long.test.ts',
  'test/security/*.long.test.ts',
  'test/erasure/*.long.test.ts',
  '!test/ledger/append/{key-in-progress,two-processes}.long.test.ts',
  '!test/ledger/evidence/evidence-altered.long.test.ts',
  '!test/ledger/audit/{cosignature,go-verifier}.long.test.ts',
)
