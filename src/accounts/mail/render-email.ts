import { html } from 'hono/html'
import { splitQuoted, toPlainText, type EmailContent, type Paragraph } from './email.ts'

/** A message in both of its forms. */
export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

const FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
/** Wide enough to read, and narrow enough for a telephone. */
const WIDTH = 'max-width: 560px'
/** Enough contrast with the text on it, and with a white and a black page. */
const BUTTON = 'background-color: #1f6feb; color: #ffffff'

/**
 * Renders a message as plain text and as HTML. The HTML has no images, no scripts, and no styles of its own for light and
 * dark: it takes the colors of the mail program. `origin` is the address of the service.
 */
export async function renderEmail({ subject, paragraphs }: EmailContent, origin: string): Promise<RenderedEmail> {
  const footer = `This message was sent automatically by ${origin}. Replies are not read.`
  const page = await html`<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>${toPlainText(subject)}</title>
  </head>
  <body style="color-scheme: light dark; margin: 0; padding: 24px">
    <div style="${FONT}; ${WIDTH}; margin: 0 auto; font-size: 16px; line-height: 1.5; overflow-wrap: anywhere">
      <h1 style="font-size: 20px; line-height: 1.3; margin: 0 0 16px">${renderQuoted(subject)}</h1>
      ${paragraphs.map(renderHtml)}
      <p style="margin: 32px 0 0; font-size: 14px; opacity: 0.75">${footer}</p>
    </div>
  </body>
</html>`
  return {
    subject: toPlainText(subject),
    text: `${[...paragraphs.map(renderText), `--\n${footer}`].join('\n\n')}\n`,
    html: `<!doctype html>\n${page}\n`,
  }
}

function renderText(paragraph: Paragraph): string {
  return typeof paragraph === 'string' ? toPlainText(paragraph) : `${toPlainText(paragraph.text)}:\n${paragraph.url}`
}

function renderHtml(paragraph: Paragraph) {
  if (typeof paragraph === 'string') return html`<p style="margin: 0 0 16px">${renderQuoted(paragraph)}</p>`
  return html`<p style="margin: 24px 0">
    <a href="${paragraph.url}" style="${BUTTON}; display: inline-block; padding: 10px 18px; border-radius: 6px; font-weight: 600; text-decoration: none">${renderQuoted(paragraph.text)}</a>
  </p>`
}

function renderQuoted(text: string) {
  return splitQuoted(text).map((part) => (part.isQuoted ? html`<bdi>${part.text}</bdi>` : part.text))
}
