import { SingleBar } from 'cli-progress'

/** Shows the progress of a long task. */
export interface Progress {
  /** Adds completed steps (default: 1). */
  advance(steps?: number): void
  /** Ends the display, whether or not the task is complete. */
  finish(): void
}

const SHARES = 10
const MS_PER_SECOND = 1000

/** Shows the progress of `total` steps: a bar on a terminal, otherwise a line for each tenth. */
export function showProgress(label: string, total: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? drawBar(label, total, stream) : printLines(label, total, stream)
}

function drawBar(label: string, total: number, stream: NodeJS.WriteStream): Progress {
  const rate = measureRate()
  const format = `${label} [{bar}] {value}/{total}  {rate}  {eta_formatted} left`
  const bar = new SingleBar({ format, stream, barsize: 30, hideCursor: null, etaBuffer: 50 })
  bar.start(total, 0, { rate: '' })
  return {
    advance: (steps = 1) => bar.increment(steps, { rate: rate(steps).text }),
    finish: () => bar.stop(),
  }
}

function printLines(label: string, total: number, stream: NodeJS.WriteStream): Progress {
  const rate = measureRate()
  let done = 0
  return {
    advance(steps = 1) {
      const before = Math.floor((done * SHARES) / total)
      done += steps
      const { text, perSecond } = rate(steps)
      if (Math.floor((done * SHARES) / total) === before) return
      const left = Math.ceil((total - done) / perSecond)
      stream.write(`${label} ${done}/${total} (${Math.floor((done * 100) / total)} %)  ${text}  ${left} s left\n`)
    },
    finish: () => undefined,
  }
}

/** Returns a function that counts steps and returns their average rate so far. */
function measureRate(): (steps: number) => { perSecond: number; text: string } {
  const startedAt = performance.now()
  let done = 0
  return (steps) => {
    done += steps
    const perSecond = (done * MS_PER_SECOND) / Math.max(1, performance.now() - startedAt)
    return { perSecond, text: `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s` }
  }
}

/** Shows the progress of a task whose size is known later and may be 0. Ignores steps beyond that size. */
export function eventProgress(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
): Progress & { begin(total: number): void } {
  let shown: Progress | undefined
  let left = 0
  return {
    begin(total) {
      left = total
      if (total > 0) shown = showProgress(`${label}, events`, total, stream)
    },
    advance(steps = 1) {
      const counted = Math.min(steps, left)
      left -= counted
      if (counted > 0) shown?.advance(counted)
    },
    finish: () => shown?.finish(),
  }
}
