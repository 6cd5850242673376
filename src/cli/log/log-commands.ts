import { type Command, Option } from 'commander'
import { companyCommandsIn, idOption, parseWholeNumber } from '../terminal/options.ts'

const MAX_LISTED = 1_000

/** Adds `log …`. */
export function addLogCommands(program: Command) {
  const log = companyCommandsIn(
    program.command('log').description('Bulk User Logs of a company'),
    () => import('./log.ts'),
  )
  log('list', 'list the entries, newest first', 'listEntries')
    .addOption(new Option('--status <status>', 'only those with this status').choices(['Completed', 'Failed']))
    .option('--limit <n>', 'how many at most', parseWholeNumber(MAX_LISTED, 1), 20)
  log('show', 'show an entry, and why records were refused', 'showEntry').addOption(
    idOption('log', 'log', 'the id of the entry'),
  )
}
