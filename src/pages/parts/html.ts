import { raw, type html } from 'hono/html'

/* The language of pages: a tag that escapes every value, and writes nothing for `false`, `null`, and `undefined`. */

export { html, raw } from 'hono/html'

/** What the tag makes. */
export type Html = ReturnType<typeof html>

/** The text of what was rendered, as a screen reader reads it; it is escaped already. */
export async function textOf(rendered: Html): Promise<Html> {
  const markup = await rendered
  return raw(
    markup
      .replaceAll(/<span aria-hidden="true">[^<]*<\/span>/g, '')
      .replaceAll(/<[^<>]*>/g, '')
      .replaceAll(/\s+/g, ' '),
  )
}
