/** The name of a person as it is read: the parts that there are, or an empty text if there are none. */
export function formatFullName({
  first_name: first,
  last_name: last,
}: {
  first_name?: string | null | undefined
  last_name?: string | null | undefined
}): string {
  return [first, last].filter((part) => part !== null && part !== undefined && part !== '').join(' ')
}
