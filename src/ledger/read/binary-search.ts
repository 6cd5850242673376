/**
 * The first number of a range from which on something holds, found by halving; the one behind the range when it holds
 * nowhere. What holds for a number must hold for all that follow.
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
