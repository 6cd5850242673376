import type { SentJson } from './events.ts'

/** Whether a JSON value is an object and not an array. */
export function isObject(value: SentJson): value is Record<string, SentJson> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON object has more members than a limit. Stops counting there. */
export function hasMoreMembersThan(object: object, limit: number): boolean {
  let count = 0
  for (const name in object) {
    if (!Object.hasOwn(object, name)) continue
    count += 1
    if (count > limit) return true
  }
  return false
}
