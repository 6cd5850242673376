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

const UNTRUSTED =
  'needs one of a public authority, or its own authority in a file that NODE_EXTRA_CA_CERTS of the service names'

/** What is wrong with a certificate, by the codes of OpenSSL. */
const TLS_FAULTS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `The certificate is self-signed; the server ${UNTRUSTED}`,
  SELF_SIGNED_CERT_IN_CHAIN: `The certificate is of an authority that is not trusted; the server ${UNTRUSTED}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate cannot be verified; the server must send the certificates between it and a trusted authority, too',
  UNABLE_TO_GET_ISSUER_CERT: `The authority of the certificate is not known; the server ${UNTRUSTED}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `The authority of the certificate is not known; the server ${UNTRUSTED}`,
  CERT_HAS_EXPIRED: 'The certificate has expired; the server needs a new one',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet; check it, and the clock of the service',
  CERT_REVOKED: 'The certificate was revoked; the server needs a new one',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate is for another host name; the server needs one for the name in the address',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'The server does not speak TLS at this port; check the port, or whether the address is http',
  EPROTO: 'The server does not speak TLS at this port as it should; check the port, or whether the address is http',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The server does not speak TLS at this port; check the port',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'The server does not speak TLS 1.2 or 1.3',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The server does not speak TLS 1.2 or 1.3',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'The server refused the TLS connection: it and the service share no method',
}

/** Makes an OutgoingError that says why a request failed. */
export function toOutgoingError(error: NodeJS.ErrnoException) {
  if (error instanceof OutgoingError) return error
  const { code = '', message } = error
  const make = (fault: OutgoingFault, text: string) => new OutgoingError(fault, text, { cause: error })
  if (code.startsWith('HPE_')) return make('broken', 'The answer is not valid HTTP')
  if (FAULTS[code] !== undefined) return make('unanswered', FAULTS[code])
  if (TLS_FAULTS[code] !== undefined) return make('unanswered', TLS_FAULTS[code])
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO)/.test(code))
    return make('unanswered', `The TLS connection failed (${code}); check the port, and the server's certificate`)
  return make('unanswered', code === '' ? message : `The request failed (${code})`)
}
