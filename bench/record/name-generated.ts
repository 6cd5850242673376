/* What a version generates can't be equal: ids, times, salts, and the hashes that follow from them. */

const ID = String.raw`\b[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b`
const UUID = String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
const GENERATED = new RegExp(`${ID}|${UUID}|${TIME}`, 'g')
/** Times and lengths of time that may or may not be equal to others. */
const MEASURED = /"(requested_at|last_used|duration_ms|data_hash)":(?:\d+|"[^"]*")/g

/**
 * Returns a function that replaces what a version generates by names, the same each time. A name tells in which text it
 * was met first, and as which one there, so that a difference in one text doesn't give other names in the next ones.
 */
export function createNaming(): (text: string, place: string) => string {
  const names = new Map<string, string>()
  const met = new Map<string, number>()
  return (text, place) =>
    text.replace(MEASURED, '"$1":"-"').replace(GENERATED, (value) => {
      let name = names.get(value)
      if (name === undefined) {
        const at = `${value.includes('_') ? value.slice(0, 3) : value.includes('T') ? 'time' : 'uuid'} ${place}`
        met.set(at, (met.get(at) ?? 0) + 1)
        name = `<${at}.${met.get(at)}>`
        names.set(value, name)
      }
      return name
    })
}
