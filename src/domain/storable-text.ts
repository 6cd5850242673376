/** Whether PostgreSQL can store a text: it has no NUL and no half of a character. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
