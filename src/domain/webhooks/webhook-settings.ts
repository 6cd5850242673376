import { isIP } from 'node:net'
import type { RecordErrorCode } from '../errors.ts'
import { WEBHOOK_TYPES, type WebhookSettings } from '../webhook-types.ts'
import { MAX_URL } from './webhook-lifecycle.ts'

/** What is wrong with the address of a webhook. The message follows the name of the setting. */
interface UrlError {
  code: RecordErrorCode
  message: string
}

/** Settings in the form in which they are stored, or what is wrong with their address. */
type ReadSettings<Given> = { settings: Given; error?: never } | { settings?: never; error: UrlError }

/**
 * Reads settings whose types and lengths have been checked. The address becomes exactly what is called, and the types
 * get their order, so that two ways to write the same settings are no change. `allowsHttp` is for development; `mayReach`
 * knows the addresses that are never called.
 */
export function readWebhookSettings<Given extends Partial<WebhookSettings>>(
  given: Given,
  { allowsHttp, mayReach }: { allowsHttp: boolean; mayReach: (address: string, allowsPrivate: boolean) => boolean },
): ReadSettings<Given> {
  const settings = { ...given }
  if (given.types !== undefined) settings.types = WEBHOOK_TYPES.filter((type) => given.types!.includes(type))
  if (given.url === undefined) return { settings }
  const { url, error } = readUrl(given.url, allowsHttp)
  if (error) return { error }
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  // Where a name leads is known when a message is sent.
  if (isIP(host) !== 0 && !mayReach(host, allowsHttp))
    return { error: { code: 'invalid_value', message: `must not lead to ${host}, which messages cannot reach` } }
  return { settings: { ...settings, url } }
}

function readUrl(text: string, allowsHttp: boolean): { url: string; error?: never } | { url?: never; error: UrlError } {
  const refuse = (code: RecordErrorCode, message: string) => ({ error: { code, message } })
  // The parser would drop white space and control characters in silence.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (!url) return refuse('invalid_format', 'must be a URL, such as https://example.com/hooks')
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return refuse('invalid_value', 'must start with https://; http:// is for development, with OUTGOING_PRIVATE=1')
  if (url.username !== '' || url.password !== '')
    return refuse('invalid_value', 'must not contain a user name or password')
  if (url.href.includes('#')) return refuse('invalid_value', 'must not contain a fragment (#)')
  // Encoding makes some characters longer.
  if (url.href.length > MAX_URL) return refuse('too_long', `must have at most ${MAX_URL} characters`)
  return { url: url.href }
}
