import type { Test } from 'tap'
import { openProxy } from './open-proxy.ts'

const NOTIFICATION = 'A'.charCodeAt(0)
const TYPE_AND_LENGTH = 5

/** Starts a proxy to PostgreSQL that drops notifications. Returns its address. */
export async function startDeafProxy(t: Test, target: string): Promise<string> {
  const { through } = await openProxy(t, target, ({ answer }) => {
    let rest: Buffer = Buffer.alloc(0)
    return {
      fromServer(bytes) {
        rest = Buffer.concat([rest, bytes])
        while (rest.length >= TYPE_AND_LENGTH && rest.length > rest.readUInt32BE(1)) {
          const end = 1 + rest.readUInt32BE(1)
          if (rest[0] !== NOTIFICATION) answer(rest.subarray(0, end))
          rest = rest.subarray(end)
        }
      },
    }
  })
  return through(target)
}
