import type { Command } from 'commander'
import { commandsIn } from '../terminal/options.ts'

/** Adds `secrets …`: rotation of the key that encrypts stored secrets. */
export function addSecretsCommands(program: Command) {
  const secrets = commandsIn(
    program.command('secrets').description('the keys that encrypt stored secrets'),
    () => import('./secrets.ts'),
  )
  secrets('add-key', 'put a new key in front of those in the file; processes use it after a restart', 'addKey')
  secrets(
    'reencrypt',
    'encrypt all stored secrets under the newest key; refuses while a process runs that began before it',
    'reencrypt',
  ).option('--force', 'do not look for such processes')
  secrets(
    'drop-keys',
    'remove all keys but the newest from the file; refuses while a stored secret needs them',
    'dropKeys',
  )
}
