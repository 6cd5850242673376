import { Command } from 'commander'
import { addAgainstCommand } from './against/against-command.ts'
import { addAuditCommand } from './commands/audit-command.ts'
import { addBytesCommand } from './commands/bytes-command.ts'
import { addCompareCommand } from './compare/compare-command.ts'
import { addLargeRecordsCommand } from './commands/large-records-command.ts'
import { addMemoryCommand } from './commands/memory-command.ts'
import { addPagesCommand } from './commands/pages-command.ts'
import { addProfileCommand } from './commands/profile-command.ts'
import { addRecordCommand } from './record/record-command.ts'
import { addReplayCommand } from './commands/replay-command.ts'
import { addSizesCommand } from './commands/sizes-command.ts'
import { addWebhooksCommand } from './commands/webhooks-command.ts'

/* `npm run bench`: measures the throughput of the service and its peers, and profiles the service. */

const program = new Command('bench').description('Measure the service and its peers on one PostgreSQL server')
addCompareCommand(program)
addAgainstCommand(program)
addBytesCommand(program)
addSizesCommand(program)
addReplayCommand(program)
addRecordCommand(program)
addAuditCommand(program)
addMemoryCommand(program)
addLargeRecordsCommand(program)
addPagesCommand(program)
addProfileCommand(program)
addWebhooksCommand(program)
await program.parseAsync()
