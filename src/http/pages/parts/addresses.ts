/** Values of a query string by name; undefined and empty values are omitted. */
export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** Returns `path` if it is a path of the signed-in pages, otherwise an empty string: never another site. */
export function readOwnPath(path: string | undefined): string {
  return path !== undefined && /^\/(?:settings|account)(?:[/?][\x21-\x7e]*)?$/.test(path) ? path : ''
}

/** Builds a path with a query string. */
export function buildUrl(path: string, values: QueryValues): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The sign-in page of a company with an identity provider. */
export function companyPath(companyId: string): string {
  return `/sign-in/${companyId}`
}

/** The addresses that an identity provider must know. `publicUrl` is that of the service. */
export function listProviderAddresses(publicUrl: string, companyId: string) {
  const page = `${publicUrl}${companyPath(companyId)}`
  return {
    /** Where administrators and the provider's own portal send people. */
    signIn: page,
    redirect: `${page}/callback`,
    postLogout: `${publicUrl}/sign-in`,
    backchannelLogout: `${page}/backchannel-logout`,
  }
}
