import { Option, type Command } from 'commander'
import { commandsIn, companyCommandsIn, parseId, parseTime, parseWholeNumber } from '../terminal/options.ts'

const MAX_POSITION = Number.MAX_SAFE_INTEGER
const MAX_WITNESSES = 1_000

/** Adds `audit …`: export and verification of the ledger, and rotation of the signing key. */
export function addAuditCommands(program: Command) {
  const audit = program.command('audit').description('export and verify the ledger')
  const addExport = companyCommandsIn(audit, () => import('./audit-export.ts'))
  addExport('export', 'export the ledger and a signed checkpoint for offline verification', 'exportLedger')
    .option(
      '--out <file>',
      'the file to write, compressed if its name ends in `.gz`; the checkpoint goes to FILE.checkpoint (default: ' +
        'standard output, without a checkpoint)',
    )
    .option('--after <n>', 'start after this position, to continue an export', parseWholeNumber(MAX_POSITION), 0)
  addExport(
    'evidence',
    'write an evidence file about an employee, a call, or a period: events, proof, verifier, and a readable page',
    'writeEvidenceFile',
  )
    .addOption(
      new Option('--employee <id>', 'the employee').argParser(parseId('emp')).conflicts(['call', 'from', 'to']),
    )
    .addOption(new Option('--call <id>', 'the call').argParser(parseId('log')).conflicts(['from', 'to']))
    .option('--from <time>', 'only events recorded at or after this time', parseTime)
    .option('--to <time>', 'only events recorded before this time', parseTime)
    .requiredOption('--out <file>', 'the zip file to write')
  const addVerify = commandsIn(audit, () => import('./audit-verify.ts'))
  addVerify(
    'verify',
    'verify an export offline; exit code 0 consistent, 1 invalid, 2 wrong usage, 3 diverged, 4 unverifiable',
    'verifyLedger',
  )
    .argument('<file>', 'the file that `audit export` wrote')
    .option('--checkpoint <file>', 'a file of checkpoints that the ledger must match; can be repeated', appendValue, [])
    .option(
      '--key <key>',
      'a verifier key that must have signed the checkpoints, or a file of them; can be repeated',
      appendValue,
      [],
    )
    .option(
      '--witness <key>',
      'the verifier key of a witness, or a file of them; can be repeated; a checkpoint must have their cosignatures',
      appendValue,
      [],
    )
    .option(
      '--quorum <n>',
      'how many of these witnesses must have cosigned a checkpoint (default: all)',
      parseWholeNumber(MAX_WITNESSES),
    )
  const addRotation = commandsIn(audit, () => import('./audit-rotate-key.ts'))
  addRotation(
    'rotate-key',
    'replace the signing key in its file; keeps the old public key as retired',
    'rotateCheckpointKey',
  )
}

function appendValue(value: string, before: string[]) {
  return [...before, value]
}
