/** Puts the clock of this process ahead by some milliseconds, or behind. Returns the function that sets it right. */
export function shiftClock(ms: number): () => void {
  const RealDate = Date
  const shifted = () => RealDate.now() + ms
  class ShiftedDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [shifted()] : given) as [number]))
    }
    static override now = shifted
  }
  globalThis.Date = ShiftedDate as DateConstructor
  return () => void (globalThis.Date = RealDate)
}
