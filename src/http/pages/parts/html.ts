import type { html } from 'hono/html'

/* The language of pages: a tag that escapes every value. */

export { html, raw } from 'hono/html'

/** What the tag makes. */
export type Html = ReturnType<typeof html>
