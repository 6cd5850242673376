import type { TokenScopes } from '#domain/accounts/roles'
import { describeScopes } from '#wording/token-scopes'
import { formatTime } from '#domain/local-times'
import { readAddress } from '#domain/networks'
import { quote, type EmailContent } from './email.ts'

/* What the messages about users' accounts say. None names an employee. */

/** The company of the account, and who acted. */
export interface EmailContext {
  companyName: string
  /** The IANA name of the company's time zone. */
  timeZone: string
  /** The name of the user who acted; null for the operator. */
  actorName: string | null
  /** The IP address from which the request was sent; null if there was none. */
  address: string | null
}

/** A one-time link, with the time at which it stops working, in RFC 3339 UTC. */
interface EmailedLink {
  url: string
  expiresAt: string
}

/** The message to a new user. */
export function describeInvitation(
  { companyName, timeZone, actorName }: EmailContext,
  link: EmailedLink,
): EmailContent {
  const company = quote(companyName)
  return {
    subject: actorName === null ? `You are invited to ${company}` : `${quote(actorName)} invited you to ${company}`,
    paragraphs: [
      `${nameActor(actorName)} invited you to the company ${company} in employee-ledger.`,
      `Open the link to set up how you sign in. ${describeLife(link, timeZone)}`,
      { text: 'Accept the invitation', url: link.url },
      "If you don't know this company, ignore this message.",
    ],
  }
}

/** The message to a user whose password an administrator has reset. */
export function describeReset({ companyName, timeZone, actorName }: EmailContext, link: EmailedLink): EmailContent {
  const company = quote(companyName)
  return {
    subject: `Your password for ${company} was reset`,
    paragraphs: [
      `${nameActor(actorName)} reset your password for ${company}. Your old password and your passkeys no longer ` +
        'work, and all your sessions have ended.',
      `Open the link to set up again how you sign in. ${describeLife(link, timeZone)}`,
      { text: 'Set up sign-in', url: link.url },
    ],
  }
}

/** The message to whoever used “Forgot your password?”, or whose address somebody else entered there. */
export function describeForgottenPassword(
  { companyName, timeZone, address }: EmailContext,
  link: EmailedLink,
  { hasPasskeys }: { hasPasskeys: boolean },
): EmailContent {
  const company = quote(companyName)
  return {
    subject: `Set a new password for ${company}`,
    paragraphs: [
      `Somebody asked${describeOrigin(address)} for a new password for your account at ${company}.`,
      `Open the link to set one. ${describeLife(link, timeZone)} Until you use it, your password stays as it is.`,
      { text: 'Set a new password', url: link.url },
      ...(hasPasskeys ? ['To sign in, you need a passkey or a recovery code too.'] : []),
      "If it wasn't you, ignore this message.",
    ],
  }
}

/** A change of an account of which its user is told. */
export type AccountChange =
  | { kind: 'password_changed' }
  | { kind: 'passkey_added'; name: string }
  | { kind: 'token_issued'; name: string; scopes: TokenScopes }

/** The message to a user whose account was changed. `at` is RFC 3339 UTC, `publicUrl` the address of the service. */
export function describeAccountChange(
  { companyName, timeZone, actorName, address }: EmailContext,
  change: AccountChange,
  { at, publicUrl }: { at: string; publicUrl: string },
): EmailContent {
  const { subject, effect, remedy, path } = findWords(quote(companyName), change)
  const who = actorName === null ? ' by the operator of the service' : ''
  return {
    subject,
    paragraphs: [
      `${subject}${who} on ${formatTime(at, timeZone)}${describeOrigin(address)}. ${effect}`,
      `If this was you, there is nothing to do. If it wasn't, ${remedy} at once, and tell an administrator of ` +
        'your company.',
      { text: path === '/account' ? 'Open your account' : 'Open the sign-in page', url: `${publicUrl}${path}` },
    ],
  }
}

interface ChangeWords {
  subject: string
  /** What follows from the change. */
  effect: string
  /** What to do if it was somebody else. */
  remedy: string
  path: '/account' | '/sign-in'
}

function findWords(company: string, change: AccountChange): ChangeWords {
  switch (change.kind) {
    case 'password_changed':
      return {
        subject: `Your password for ${company} was changed`,
        effect: 'Your earlier sessions have ended.',
        remedy: 'set a new password with “Forgot your password?” on the sign-in page',
        path: '/sign-in',
      }
    case 'passkey_added':
      return {
        subject: `A passkey was added to your account at ${company}`,
        effect: `Its name is ${quote(change.name)}. Whoever has it can sign in as you.`,
        remedy: 'remove the passkey and change your password',
        path: '/account',
      }
    case 'token_issued':
      return {
        subject: `A token was created for your account at ${company}`,
        effect: `Its name is ${quote(change.name)}. It lets a program ${describeScopes(change.scopes)}.`,
        remedy: 'revoke the token and change your password',
        path: '/account',
      }
  }
}

function nameActor(actorName: string | null) {
  return actorName === null ? 'The operator of the service' : quote(actorName)
}

function describeLife({ expiresAt }: EmailedLink, timeZone: string) {
  return `It works once, until ${formatTime(expiresAt, timeZone)}.`
}

/** A proxy that is trusted wrongly may report any text as the address. */
function describeOrigin(address: string | null) {
  return address === null || readAddress(address) === null ? '' : ` from the address ${address}`
}
