import type { Test } from 'tap'
import { openProxy } from './open-proxy.ts'

/** When a connection is cut: while the client is sending, or when the server starts to answer. */
type Cut = 'while sending' | 'before the answer'

interface CuttingProxy {
  address: string
  /** Cuts the next connections as listed, one each. A body must be longer than `SENT_BEFORE_CUT`. */
  cut(...cuts: Cut[]): void
  /** How many connections were cut. */
  cuts(): number
}

const SENT_BEFORE_CUT = 20_000

/** A loopback TCP proxy in front of the service that cuts connections on request. */
export async function startCuttingProxy(t: Test, target: string): Promise<CuttingProxy> {
  const planned: Cut[] = []
  let done = 0
  const { address } = await openProxy(t, target, ({ send, answer, cut }) => {
    let sent = 0
    const isCut = (wanted: Cut) => {
      if (sent <= SENT_BEFORE_CUT || planned[0] !== wanted) return false
      planned.shift()
      done += 1
      cut()
      return true
    }
    return {
      fromClient(bytes) {
        sent += bytes.length
        if (!isCut('while sending')) send(bytes)
      },
      // Only a call with a body: reads can simply be repeated.
      fromServer(bytes) {
        if (!isCut('before the answer')) answer(bytes)
        sent = 0
      },
    }
  })
  return { address, cut: (...cuts) => planned.push(...cuts), cuts: () => done }
}
