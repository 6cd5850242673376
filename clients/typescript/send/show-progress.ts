import { SingleBar } from 'cli-progress'

/** Shows how many records have been sent. */
interface Progress {
  show(done: number): void
  finish(): void
}

const SHARES = 10

/** A bar on a terminal, otherwise a line for each tenth. `done` is the number of records that were sent before. */
export function showProgress(label: string, total: number, done: number, stream: NodeJS.WriteStream): Progress {
  if (stream.isTTY) {
    const bar = new SingleBar({ format: `${label} [{bar}] {value} of {total}  {eta_formatted} left`, stream })
    bar.start(total, done)
    return { show: (done) => bar.update(done), finish: () => bar.stop() }
  }
  const shareOf = (count: number) => Math.floor((count * SHARES) / total)
  let shown = shareOf(done)
  return {
    show(done) {
      if (shareOf(done) === shown) return
      shown = shareOf(done)
      stream.write(`${label} ${done} of ${total}\n`)
    },
    finish: () => undefined,
  }
}
