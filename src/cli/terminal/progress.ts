import { SingleBar } from 'cli-progress'

/** Shows how far long work is. */
export interface Progress {
  /** So many more steps are done. */
  advance(steps?: number): void
  /** The work is over, whether all of it was done or not. */
  finish(): void
}

const SHARES = 10
const MS_PER_SECOND = 1000

/** Begins to show work of so many steps: a bar on a terminal, elsewhere a line for each tenth. On standard error. */
export function showProgress(label: string, total: number, stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? drawBar(label, total, stream) : printLines(label, total, stream)
}

function drawBar(label: string, total: number, stream: NodeJS.WriteStream): Progress {
  const rate = measureRate()
  const format = `${label} [{bar}] {value}/{total}  {rate}  {eta_formatted} left`
  const shown = new SingleBar({ format, stream, barsize: 30, hideCursor: null, etaBuffer: 50 })
  shown.start(total, 0, { rate: '' })
  return {
    advance: (steps = 1) => shown.increment(steps, { rate: rate(steps).text }),
    finish: () => shown.stop(),
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

/** Counts steps, and tells how many a second it were so far. */
function measureRate(): (steps: number) => { perSecond: number; text: string } {
  const startedAt = performance.now()
  let done = 0
  return (steps) => {
    done += steps
    const perSecond = (done * MS_PER_SECOND) / Math.max(1, performance.now() - startedAt)
    return { perSecond, text: `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s` }
  }
}

/** Shows work whose size is told when it has begun, and may be nothing; what comes on top of it is not shown. */
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
