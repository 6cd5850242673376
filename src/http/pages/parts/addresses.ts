/** Values of a query string by name; undefined and empty values are omitted. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** Builds a path with a query string. */
export function buildUrl(path: string, values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
