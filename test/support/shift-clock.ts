import type { Test } from 'tap'

/**
 * Puts the clock of this process ahead by some hours, or behind. Returns the function that sets it right, which the end
 * of the test calls, too.
 */
export function shiftClock(t: Pick<Test, 'teardown'>, hours: number): () => void {
  const RealDate = Date
  const shifted = () => RealDate.now() + hours * 3_600_000
  class ShiftedDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [shifted()] : given) as [number]))
    }
    static override now = shifted
  }
  globalThis.Date = ShiftedDate as DateConstructor
  const reset = () => void (globalThis.Date = RealDate)
  t.teardown(reset)
  return reset
}
