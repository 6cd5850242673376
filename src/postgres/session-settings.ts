/*
 * Settings of every connection: whatever the role or database prefers, PostgreSQL sends times in the one format that
 * the program parses.
 */
const PINNED = { DateStyle: 'ISO,MDY', TimeZone: 'UTC', IntervalStyle: 'postgres' }

/** Connection parameters: the URL, and the server's command-line options (the `options` of a connection). */
interface Connection {
  connectionString: string
  options: string
}

/**
 * Connection parameters for a URL with additional server settings, e.g. `{ jit: 'off' }`, which override settings in
 * the URL.
 */
export function connectionTo(url: string, settings: Record<string, string> = {}): Connection {
  const { connectionString, options } = withoutOptions(url)
  // The last setting of a name wins.
  const ours = Object.entries({ ...PINNED, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  return { connectionString, options: [...options, ...ours].join(' ') }
}

/** node-postgres would use the URL's options instead of these, not in addition. */
function withoutOptions(url: string): { connectionString: string; options: string[] } {
  const parsed = URL.parse(url)
  const options = parsed?.searchParams.getAll('options') ?? []
  if (!parsed || options.length === 0) return { connectionString: url, options: [] }
  parsed.searchParams.delete('options')
  return { connectionString: parsed.href, options }
}
