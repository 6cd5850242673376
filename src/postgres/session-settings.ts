/*
 * Settings that every connection of the program begins with. Whatever a role or a database prefers, PostgreSQL then writes
 * times in the one form that the program reads.
 */
const PINNED = { DateStyle: 'ISO,MDY', TimeZone: 'UTC', IntervalStyle: 'postgres' }

/** How to connect: the URL, and the command-line options for the server (PostgreSQL's `options` of a connection). */
export interface Connection {
  connectionString: string
  options: string
}

/** How to connect to a URL with further settings of the server, e.g. `{ jit: 'off' }`. Settings in the URL give way to these. */
export function connectionTo(url: string, settings: Record<string, string> = {}): Connection {
  const { connectionString, options } = withoutOptions(url)
  // The last one of a name counts.
  const ours = Object.entries({ ...PINNED, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  return { connectionString, options: [...options, ...ours].join(' ') }
}

/** node-postgres would take options in the URL instead of these, not beside them. */
function withoutOptions(url: string): { connectionString: string; options: string[] } {
  const parsed = URL.parse(url)
  const options = parsed?.searchParams.getAll('options') ?? []
  if (!parsed || options.length === 0) return { connectionString: url, options: [] }
  parsed.searchParams.delete('options')
  return { connectionString: parsed.href, options }
}
