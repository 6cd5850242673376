/**
 * Why an exchange with another server has no result. `refused`: its address must not be used. `unanswered`: there was no
 * connection, or no answer in time. `broken`: its answer cannot be read.
 */
type OutgoingFault = 'refused' | 'unanswered' | 'broken'

/** The message is a sentence, without details that only an operator should see. */
export class OutgoingError extends Error {
  override name = 'OutgoingError'
  readonly fault: OutgoingFault

  constructor(fault: OutgoingFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }
}

export const CLOSED_EARLY = 'The connection was closed before the answer ended'

const FAULTS: Record<string, string> = {
  ENOTFOUND: 'The host name has no address',
  ENODATA: 'The host name has no address',
  ETIMEOUT: 'The name servers did not answer',
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: CLOSED_EARLY,
  EPIPE: CLOSED_EARLY,
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
}

/** Makes an OutgoingError that says why a request failed. */
export function toOutgoingError(error: NodeJS.ErrnoException): OutgoingError {
  if (error instanceof OutgoingError) return error
  const { code = '', message } = error
  const make = (fault: OutgoingFault, text: string) => new OutgoingError(fault, text, { cause: error })
  if (code.startsWith('HPE_')) return make('broken', 'The answer is not valid HTTP')
  if (FAULTS[code] !== undefined) return make('unanswered', FAULTS[code])
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return make('unanswered', `The TLS connection failed (${code})`)
  return make('unanswered', code === '' ? message : `The request failed (${code})`)
}
