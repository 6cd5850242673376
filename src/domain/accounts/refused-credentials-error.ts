/** The credentials were no longer valid when the call was decided. Nothing was stored. */
export class RefusedCredentialsError extends Error {
  override name = 'RefusedCredentialsError'
}
