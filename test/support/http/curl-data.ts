import { execFileSync } from 'node:child_process'

/** Returns the body that a shown curl command sends, as a POSIX shell makes it. */
export function readCurlData(command: string): string {
  const quoted = command.slice(command.indexOf("'{"))
  return execFileSync('sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })
}
