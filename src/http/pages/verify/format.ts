import { Marked } from 'marked'
import { raw, type Html } from '../parts/html.ts'

/** Renders a page of the documentation. Links to pages that the service does not serve become text. */
export async function renderFormat(markdown: string): Promise<Html> {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} -]/gu, '')
          .replaceAll(' ', '-')
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return /^(?:#|https:)/.test(href) ? `<a href="${href}">${text}</a>` : text
      },
    },
  })
  return raw(await marked.parse(markdown))
}
