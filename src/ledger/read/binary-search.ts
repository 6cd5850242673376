/**
 * Binary search: the first number in a range for which a predicate holds, or `to + 1` if it holds for none. If it holds
 * for a number, it must hold for all greater ones.
 */
export async function binarySearch(
  from: number,
  to: number,
  holds: (number: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [from, to + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
