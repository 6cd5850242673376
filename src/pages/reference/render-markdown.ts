import { Marked } from 'marked'
import { html, raw } from '#pages/parts/elements'

/** Makes the id of a heading of its words. */
export function makeHeadingId(text: string) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')
}

interface Reading {
  /** The links that are kept. Others become text: pages lead to no address that the service does not know. */
  links: RegExp
  /** Lists within lists open and close. */
  isFolded?: boolean
}

/** Renders a text in Markdown. Links to pages in Markdown lead to those in HTML. */
export function renderMarkdown(markdown: string, { links, isFolded = false }: Reading) {
  const marked = new Marked({
    async: false,
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${makeHeadingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens)
        return links.test(href) ? `<a href="${href.replace(/\.md$/, '')}">${text}</a>` : text
      },
      html: ({ text }) => html`${text}` as string,
      code: ({ text }) => renderCopied(text) as string,
      listitem({ tokens }) {
        const isList = ({ type }: { type: string }) => isFolded && type === 'list'
        const [line = '', inner = ''] = [tokens.filter((token) => !isList(token)), tokens.filter(isList)].map((some) =>
          this.parser.parse(some),
        )
        const [name] = /<(?:code|em)>[^<]*<\/(?:code|em)>/.exec(line) ?? []
        return `<li>${line}${inner && `<details><summary>Members of ${name}</summary>${inner}</details>`}</li>\n`
      },
    },
  })
  return raw(marked.parse(markdown))
}

/** Renders a text with a button that copies it. */
export function renderCopied(text: string) {
  return html`<pre><code>${text}</code></pre>
    <button type="button" data-copy hidden>Copy</button>`
}
