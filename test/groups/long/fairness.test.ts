import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/fairness/{abusive-key,company-changes,folding,hostile-files,large-workbook,routes,uploads}.long.test.ts',
)
