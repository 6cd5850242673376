import { readFileSync, readdirSync } from 'node:fs'

/** Signals all processes of a PostgreSQL server on this machine, the postmaster first, so that it starts no others. */
export function signalServer(postmaster: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  // 0 would be this process and its own.
  if (postmaster <= 0) throw new Error('there is no such server')
  process.kill(postmaster, signal)
  const backends = readdirSync('/proc').map(Number)
  for (const pid of backends) {
    if (!(pid > 0) || parentOf(pid) !== postmaster) continue
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** The parent of a process; 0 if it has ended. */
export function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
  } catch {
    return 0
  }
}
