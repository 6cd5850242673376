/** The secret turned out not to be good (any more) when the call was decided: nothing was stored. */
export class RefusedCredentialsError extends Error {
  override name = 'RefusedCredentialsError'
}
