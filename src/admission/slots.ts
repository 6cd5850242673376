/** Counts what runs at once in this process, by whose it is. */
export interface Slots {
  /** Takes a slot of an owner. Returns how to give it back; null when the owner has taken all of theirs. */
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
