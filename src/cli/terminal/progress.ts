import { SingleBar } from 'cli-progress'

/** Shows the progress of a long task. */
export interface Progress {
  /** Begins a task of so many steps; of none, nothing is shown. */
  begin(total: number): void
  /** Adds completed steps (default: 1). Ignores those beyond the size of the task. */
  advance(steps?: number): void
  /** Ends the display, whether or not the task is complete. */
  finish(): void
}

const SHARES = 10
const MS_PER_SECOND = 1000

/**
 * Shows progress as a bar on a terminal, otherwise as a line for each tenth, with the average rate and the time left.
 */
export function showProgress(label: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const format = `${label} [{bar}] {value}/{total}  {rate}  {eta_formatted} left`
  const bar = stream.isTTY ? new SingleBar({ format, stream, barsize: 30, hideCursor: null, etaBuffer: 50 }) : null
  let [total, done, startedAt] = [0, 0, 0]
  const shareOf = (steps: number, shares: number) => Math.floor((steps * shares) / total)
  return {
    begin(steps) {
      total = steps
      startedAt = performance.now()
      if (total > 0) bar?.start(total, 0, { rate: '' })
    },
    advance(steps = 1) {
      if (done === total) return
      const before = done
      done = Math.min(done + steps, total)
      const perSecond = (done * MS_PER_SECOND) / Math.max(1, performance.now() - startedAt)
      const rate = `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`
      bar?.update(done, { rate })
      if (bar || shareOf(done, SHARES) === shareOf(before, SHARES)) return
      const left = Math.ceil((total - done) / perSecond)
      stream.write(`${label} ${done}/${total} (${shareOf(done, 100)} %)  ${rate}  ${left} s left\n`)
    },
    finish: () => bar?.stop(),
  }
}
