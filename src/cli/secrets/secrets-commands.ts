import type { Command } from 'commander'
import { jsonOption, loadOnRun } from '../terminal/options.ts'

/** Adds `secrets …`: rotation of the key that encrypts stored secrets. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('the keys that encrypt stored secrets')
  secrets
    .command('add-key')
    .description('put a new key in front of those in the file; processes use it after a restart')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./secrets.ts')).addKey))
  secrets
    .command('reencrypt')
    .description('encrypt all stored secrets under the newest key; refuses while a process runs that began before it')
    .option('--force', 'do not look for such processes')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./secrets.ts')).reencrypt))
  secrets
    .command('drop-keys')
    .description('remove all keys but the newest from the file; refuses while a stored secret needs them')
    .addOption(jsonOption())
    .action(loadOnRun(async () => (await import('./secrets.ts')).dropKeys))
}
