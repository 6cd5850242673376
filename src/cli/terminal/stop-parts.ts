import type { Logger } from 'pino'
import type { RunningPart } from '../../bootstrap/running-part.ts'
import { forcedStop } from './interruption.ts'

/**
 * Stops the parts in reverse start order. Together they have `timeoutMs` to finish their work; after that, or on a
 * second signal, it stops the rest without waiting. All work is safe to cut off anywhere.
 */
export async function stopParts(parts: RunningPart[], timeoutMs: number, log: Logger): Promise<void> {
  const timeIsUp = AbortSignal.any([AbortSignal.timeout(timeoutMs), forcedStop])
  for (const part of parts.toReversed()) {
    await Promise.race([part.stop(), waitForAbort(timeIsUp)]).catch((error: unknown) =>
      log.error({ err: error }, 'a part of the program failed to stop'),
    )
  }
  if (timeIsUp.aborted) log.warn('shutdown timed out; calls in progress were cut off')
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true })
  })
}
