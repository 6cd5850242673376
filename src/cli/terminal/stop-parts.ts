import type { Logger } from 'pino'
import type { RunningPart } from '../../bootstrap.ts'
import { forcedStop } from './interruption.ts'

/**
 * Stops what was started, the last first. Together they have so much time to finish what is under way; then, or when
 * somebody does not want to wait, each is told to stop and left to itself: what they do is safe to cut off anywhere.
 */
export async function stopParts(parts: RunningPart[], timeoutMs: number, log: Logger): Promise<void> {
  const timeIsUp = AbortSignal.any([AbortSignal.timeout(timeoutMs), forcedStop])
  for (const part of parts.toReversed()) {
    await Promise.race([part.stop(), waitForAbort(timeIsUp)]).catch((error: unknown) =>
      log.error({ err: error }, 'a part of the program could not be stopped'),
    )
  }
  if (timeIsUp.aborted) log.warn('calls that were under way were cut off')
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true })
  })
}
