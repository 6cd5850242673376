import { html } from 'hono/html'

/** The kinds of messages, as their records name them. */
export type EmailKind =
  | 'invitation'
  | 'password_reset'
  | 'password_changed'
  | 'passkey_added'
  | 'token_issued'
  | 'alert'

/** A paragraph of plain text, or a link in a line of its own. `url` is absolute. */
export type Paragraph = string | { text: string; url: string }

/** What a message says. Texts from outside must have gone through `quote`. */
export interface EmailContent {
  subject: string
  paragraphs: Paragraph[]
}

/** Enough for two quoted names, so that none is cut within its isolates. */
const MAX_SUBJECT = 400
const MAX_PARAGRAPHS = 50
const MAX_PARAGRAPH = 2_000
const MAX_QUOTED = 100
const ELLIPSIS = '…'

/*
 * A quoted text stands between these two (U+2068, first strong isolate; U+2069, pop directional isolate), so that one
 * that is written from right to left can't reorder what stands around it.
 */
const ISOLATE = '\u2068'
const POP = '\u2069'

/** Characters that end a line or control a terminal. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu
/** Characters that can't be seen, most of which change the direction of what follows. Joiners stay: scripts need them. */
const UNSEEN =
  /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Co}\u{e0000}-\u{e007f}]/gu
const ISOLATED = new RegExp(`${ISOLATE}([^${ISOLATE}${POP}]*)${POP}`, 'g')

/**
 * Prepares a name for a message: one line, at most 100 characters, without characters that can't be seen. A mail program
 * does not make a link of it: whoever may choose a name must not be able to send links to strangers.
 */
export function quote(text: string) {
  const line = text.normalize('NFC').replace(UNSEEN, '').replace(CONTROLS, ' ').replace(/\s+/g, ' ').trim()
  return `${ISOLATE}${cut(preventLinks(line), MAX_QUOTED)}${POP}`
}

/** What separates the parts of an address. U+3002 is a dot, too, in the name of a host (RFC 3490). */
const SEPARATOR = /[.\u3002@:/\\]/
const SEPARATORS_WITHIN = /(?<![.\u3002@:/\\])[.\u3002@:/\\]+(?=[^\s.\u3002@:/\\])/g

/**
 * Adds a space after what separates the parts of an address, as in `eve@ evil. com`. Where a space is, programs see no
 * link, whatever letters, marks, and characters that can't be seen stand around it. One slash stays as it is: `A/S`.
 */
function preventLinks(text: string) {
  return text
    .replace(/\P{ASCII}/gu, (character) => {
      // Programs may read a full-width dot as a dot, and U+33C2 as `a.m.`.
      const compatible = character.normalize('NFKC')
      return SEPARATOR.test(compatible) ? compatible : character
    })
    .replace(SEPARATORS_WITHIN, (run) => (/^[/\\]$/.test(run) ? run : `${run} `))
}

function cut(text: string, most: number) {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}${ELLIPSIS}`
}

/** Limits what is stored. Texts that are too long end with an ellipsis. */
export function limitContent({ subject, paragraphs }: EmailContent): EmailContent {
  return {
    subject: cut(subject, MAX_SUBJECT),
    paragraphs: paragraphs
      .slice(0, MAX_PARAGRAPHS)
      .map((paragraph) =>
        typeof paragraph === 'string'
          ? cut(paragraph, MAX_PARAGRAPH)
          : { text: cut(paragraph.text, MAX_QUOTED), url: paragraph.url },
      ),
  }
}

/** A text for a header or a plain message, where nothing isolates what is quoted. */
export function toPlainText(text: string): string {
  return text.replace(ISOLATED, '$1')
}

/** Splits a text into what is quoted and what is not. */
function splitQuoted(text: string) {
  return text.split(ISOLATED).map((part, at) => ({ text: part, isQuoted: at % 2 === 1 }))
}

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
const BUTTON =
  'background-color: #1f6feb; color: #ffffff; display: inline-block; padding: 10px 18px; border-radius: 6px; ' +
  'font-weight: 600; text-decoration: none'

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

function renderText(paragraph: Paragraph) {
  return typeof paragraph === 'string' ? toPlainText(paragraph) : `${toPlainText(paragraph.text)}:\n${paragraph.url}`
}

function renderHtml(paragraph: Paragraph) {
  if (typeof paragraph === 'string') return html`<p style="margin: 0 0 16px">${renderQuoted(paragraph)}</p>`
  return html`<p style="margin: 24px 0">
    <a href="${paragraph.url}" style="${BUTTON}">${renderQuoted(paragraph.text)}</a>
  </p>`
}

function renderQuoted(text: string) {
  return splitQuoted(text).map((part) => (part.isQuoted ? html`<bdi>${part.text}</bdi>` : part.text))
}
