/** Whether a JSON value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON object has more members than a limit. Stops counting there. */
export function hasMoreMembersThan(object: object, limit: number): boolean {
  let count = 0
  // What a prototype may add counts too: parsed JSON has nothing there.
  for (const _ in object) {
    count += 1
    if (count > limit) return true
  }
  return false
}
