import type { Command } from 'commander'
import { commandsOf, loadOnRun } from '../terminal/options.ts'

const load = () => import('./secrets.ts')

/** Adds `secrets …`: rotation of the key that encrypts stored secrets. */
export function addSecretsCommands(program: Command): void {
  const secrets = commandsOf(program, 'secrets', 'the keys that encrypt stored secrets')
  secrets('add-key', 'put a new key in front of those in the file; processes use it after a restart').action(
    loadOnRun(load, 'addKey'),
  )
  secrets(
    'reencrypt',
    'encrypt all stored secrets under the newest key; refuses while a process runs that began before it',
  )
    .option('--force', 'do not look for such processes')
    .action(loadOnRun(load, 'reencrypt'))
  secrets('drop-keys', 'remove all keys but the newest from the file; refuses while a stored secret needs them').action(
    loadOnRun(load, 'dropKeys'),
  )
}
