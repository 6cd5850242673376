/**
 * Follows an authorization request as a browser does, until the provider sends it elsewhere. Returns that address, the
 * callback. A jar that is given keeps the session at the provider.
 */
export async function followSignIn(url: string, jar = new Map<string, string>()): Promise<string> {
  const { origin } = new URL(url)
  let next = new URL(url)
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    const answer = await response.text()
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      jar.set(name!, value!)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The provider answered ${response.status}: ${answer}`)
    next = new URL(location, next)
    if (next.origin !== origin) return next.href
  }
  throw new Error('The provider redirected too often')
}
