/** From where a request was sent. */
export interface Client {
  /** The IP address in its usual form; empty if the connection was closed before it could be read. */
  address: string
  /** The `User-Agent` header, at most `MAX_USER_AGENT` characters; null if there was none, or it was not kept. */
  userAgent: string | null
}

/** Characters of a `User-Agent` that are kept. */
export const MAX_USER_AGENT = 256
