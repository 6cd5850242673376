/** Divides a list into parts of at most `size` items, in order. */
export function divide<Item>(list: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}
