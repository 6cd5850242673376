import type { AddedUser } from '../../../src/accounts/users/change-user.ts'
import type { Service } from '../service.ts'
import { type Authenticator, type Lies, openAuthenticator } from './authenticator.ts'
import { openVisitor, type Visitor } from './visitor.ts'

export const ORIGIN = 'http://localhost:3999'
/** The settings of a service on which passkeys work. */
export const WITH_PASSKEYS = { PUBLIC_URL: ORIGIN, SIGN_IN_LIMIT: '0' }

type Person = Pick<AddedUser, 'email' | 'password'>

/** Signs a user in with the password; of the service's own company, unless another one is named. */
export async function signInByPassword(
  service: Service,
  { email, password }: Person,
  company = service.company.id,
): Promise<Visitor> {
  const visitor = openVisitor(service)
  const { status, text } = await visitor.visit('/sign-in', { email, password, company })
  if (status !== 303) throw new Error(`signing in was answered with ${status}: ${text}`)
  return visitor
}

/** The version of the user that a form of a page shows. */
export function seenOn(text: string): string {
  return /name="seen" value="(\d+)"/.exec(text)?.[1] ?? ''
}

/** Asks for a new passkey. Returns what the browser is asked for; throws if the form was refused. */
export async function askForPasskey(visitor: Visitor, password: string, name = 'My laptop') {
  const seen = seenOn((await visitor.visit('/account/passkeys/new')).text)
  const { status, text } = await visitor.visit('/account/passkeys/new', { name, current: password, seen })
  const [, options] = /data-options="([^"]*)"/.exec(text) ?? []
  if (status !== 200 || options === undefined) throw new Error(`the passkey was refused with ${status}: ${text}`)
  return JSON.parse(unescapeHtml(options))
}

/** Adds a passkey, with all steps. Returns the authenticator that has it, and the recovery codes if they are shown. */
export async function addPasskey(
  visitor: Visitor,
  password: string,
  { authenticator = openAuthenticator(ORIGIN), name }: { authenticator?: Authenticator; name?: string } = {},
): Promise<{ authenticator: Authenticator; codes: string[] }> {
  const options = await askForPasskey(visitor, password, name)
  const answer = await visitor.visit('/account/passkeys', { response: authenticator.create(options) })
  if (answer.status >= 400) throw new Error(`the passkey was refused with ${answer.status}: ${answer.text}`)
  return { authenticator, codes: codesOn(answer.text) }
}

/** The recovery codes that a page shows. */
export function codesOn(text: string): string[] {
  return /<code id="codes">([^<]*)</.exec(text)?.[1]?.split('\n') ?? []
}

/** Asks for a challenge to sign in with. */
export async function askForChallenge(visitor: Visitor) {
  const { status, text } = await visitor.visit('/sign-in/passkey/options', {})
  if (status !== 200) throw new Error(`the challenge was refused with ${status}: ${text}`)
  return JSON.parse(text)
}

/** Tries to sign in with a passkey. */
export async function tryPasskey(visitor: Visitor, authenticator: Authenticator, lies: Lies = {}) {
  const options = await askForChallenge(visitor)
  return visitor.visit('/sign-in/passkey', { response: authenticator.use(options, lies) })
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}
