/** The size of an LRUCache of so many entries. With `max` instead, it would take the memory for all of them at once. */
export function upTo(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
