import { runFiles } from '../../support/run-files.ts'

await runFiles(
  'test/cli/{lost-postgres,own-database,providers,replaced-folder,secrets,signals,start,webhooks,wrong-input}.long.test.ts',
)
