import { setFlagsFromString } from 'node:v8'

/**
 * Says how far the heap may grow beyond what is in use before V8 collects all garbage, in percent; with 0, V8 chooses, up
 * to 300. A large file leaves garbage as fast as it is read, and the process would keep that memory. For calls, V8's choice
 * is a tenth cheaper.
 */
const growBy = (percent: 0 | 100) => setFlagsFromString(`--heap-growing-percent=${percent}`)

let working = 0

/** Runs a task that works on a whole file, and keeps the garbage of the process small meanwhile. */
export async function keepHeapCompact<Result>(task: () => Promise<Result>): Promise<Result> {
  if (working === 0) growBy(100)
  working += 1
  try {
    return await task()
  } finally {
    working -= 1
    if (working === 0) growBy(0)
  }
}
