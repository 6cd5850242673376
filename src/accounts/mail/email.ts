/** The kinds of messages, as their records name them. */
export type EmailKind =
  'invitation' | 'password_reset' | 'password_changed' | 'passkey_added' | 'token_issued' | 'alert'

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
export function quote(text: string): string {
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
function preventLinks(text: string): string {
  return text
    .replace(/\P{ASCII}/gu, (character) => {
      // Programs may read a full-width dot as a dot, and U+33C2 as `a.m.`.
      const compatible = character.normalize('NFKC')
      return SEPARATOR.test(compatible) ? compatible : character
    })
    .replace(SEPARATORS_WITHIN, (run) => (/^[/\\]$/.test(run) ? run : `${run} `))
}

function cut(text: string, most: number): string {
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
export function splitQuoted(text: string): { text: string; isQuoted: boolean }[] {
  return text.split(ISOLATED).map((part, at) => ({ text: part, isQuoted: at % 2 === 1 }))
}
