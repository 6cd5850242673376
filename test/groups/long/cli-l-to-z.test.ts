import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/cli/{lost-postgres,own-database,secrets,signals,webhooks,wrong-input}.long.test.ts',
  'test/clients/*.long.test.ts',
)
