/** Limits how many things of one owner run at once in this process; never waits. */
export interface Slots {
  /** Takes a slot. Returns the function that releases it, or null when the owner has no free slot. */
  take(owner: string): (() => void) | null
}

export function openSlots(perOwner: number): Slots {
  const taken = new Map<string, number>()
  return {
    take(owner) {
      const others = taken.get(owner) ?? 0
      if (others >= perOwner) return null
      taken.set(owner, others + 1)
      return () => {
        const left = taken.get(owner)! - 1
        if (left > 0) taken.set(owner, left)
        else taken.delete(owner)
      }
    },
  }
}
