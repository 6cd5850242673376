/** The number of statements that get a name; further ones are sent unnamed. */
const MAX_NAMED = 100

/** The name of a statement, which a connection parses and plans once; undefined for one that gets none. */
export type NameOf = (text: string) => string | undefined

/** Names statements by their texts, for work that repeats few of them. */
export function nameStatements(prefix = 'statement'): NameOf {
  const names = new Map<string, string>()
  return (text) => {
    if (!names.has(text) && names.size < MAX_NAMED) names.set(text, `${prefix} ${names.size + 1}`)
    return names.get(text)
  }
}
