/** The members that have a value, as types with optional members want them. */
export function omitUndefined<T extends object>(members: T) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}
