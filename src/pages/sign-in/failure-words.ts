import type { SignInRefusal } from '#domain/providers/decide-sign-in'
import type { ProviderFault } from '#accounts/oidc/provider-client'

/** Why nobody was signed in. `not_begun`, `not_ready`: found by the pages themselves. */
export type FailureReason = ProviderFault | SignInRefusal | 'not_begun' | 'not_ready' | 'changed_user'

interface FailureWords {
  status: number
  /** What has happened, for the person who tried. PROVIDER stands for the name of the provider. */
  title: string
  /** What that person can do. */
  advice: string
  /** What the company's IT should look at. */
  forIt: string
}

const AGAIN = 'Start again. If this keeps happening, send the lines below to your IT team.'

const LINK =
  'If you have a one-time link, open it first. If you can sign in with a password, link your account on your ' +
  'account page.'
const LINK_FOR_IT =
  'Where the provider cannot do that, users link their account: through a one-time link, which an administrator ' +
  'can create on the page of the user, or with a password, on the account page.'

/** What the pages say about each failure. */
export const FAILURE_WORDS: Record<FailureReason, FailureWords> = {
  unreachable: {
    status: 502,
    title: 'PROVIDER did not answer',
    advice: 'Try again in a minute. If this keeps happening, send the lines below to your IT team.',
    forIt:
      'This service could not connect to the provider, or the answer took more than 10 seconds. The provider ' +
      'needs a public https address with a valid certificate, and must not redirect.',
  },
  misconfigured: {
    status: 502,
    title: 'The settings for PROVIDER do not match',
    advice: 'Send the lines below to your IT team or an administrator.',
    forIt:
      'What the provider publishes or sends does not match the settings in Company Settings, Sign-in. The check ' +
      'on that page says more.',
  },
  client_refused: {
    status: 502,
    title: 'PROVIDER refused this service',
    advice: 'Send the lines below to your IT team or an administrator.',
    forIt:
      'The provider did not accept the client ID, the client secret or key, or the redirect URI. A secret may ' +
      'have expired. Compare them with Company Settings, Sign-in.',
  },
  denied: {
    status: 403,
    title: 'PROVIDER did not let you in',
    advice: 'If you did not cancel the sign-in, send the lines below to your IT team.',
    forIt: 'The person canceled, or may not use this application: check its assignments at the provider.',
  },
  invalid_response: {
    status: 400,
    title: 'PROVIDER sent an invalid answer',
    advice: AGAIN,
    forIt:
      'The answer failed a check of state, nonce, code, signature, or claims. If it happens only once, a second ' +
      'tab may be the cause.',
  },
  wrong_issuer: {
    status: 400,
    title: 'The answer came from another provider',
    advice: AGAIN,
    forIt:
      'The issuer in the answer is not the one in Company Settings, Sign-in. If the settings are right, someone ' +
      'may be trying to mix up two providers.',
  },
  clock_skew: {
    status: 502,
    title: 'The clocks of PROVIDER and this service differ',
    advice: 'Send the lines below to your IT team.',
    forIt: 'A token is not yet valid, or no longer valid. Both machines need the right time (NTP).',
  },
  outdated: {
    status: 409,
    title: 'Something was changed while you were signing in',
    advice: 'Start again.',
    forIt: 'An administrator changed the settings of the provider, or the user, in the meantime.',
  },
  not_begun: {
    status: 400,
    title: 'This sign-in is over, or was begun elsewhere',
    advice: 'Start again, in this browser, and finish within ten minutes.',
    forIt:
      'The browser has no cookie of a sign-in that waits for this answer: it took too long, was finished ' +
      'already, or was begun in another browser. Cookies must be allowed.',
  },
  not_ready: {
    status: 503,
    title: 'Signing in with PROVIDER is not possible at the moment',
    advice: 'Send the lines below to an administrator.',
    forIt:
      'The operator of this service must set PUBLIC_URL to its https address, and SECRETS_KEY to the key under ' +
      'which the secrets of providers were encrypted.',
  },
  changed_user: {
    status: 409,
    title: 'You are signed in as someone else now',
    advice: 'Start again from your account page.',
    forIt: 'The session that began this has ended, or belongs to another user.',
  },
  provider_off: {
    status: 403,
    title: 'Signing in with PROVIDER is off',
    advice: 'Sign in another way, or ask an administrator.',
    forIt: 'An administrator can turn the provider on in Company Settings, Sign-in.',
  },
  not_a_user: {
    status: 403,
    title: 'You are not a user yet',
    advice: 'Ask an administrator of your company to invite you, with the email below.',
    forIt:
      'No user has this email, and the company does not create users at their first sign-in (Company Settings, ' +
      'Sign-in).',
  },
  email_missing: {
    status: 403,
    title: 'PROVIDER did not say who you are',
    advice: `Send the lines below to your IT team. ${LINK}`,
    forIt: `The first sign-in needs the claims "email" and "email_verified": true. ${LINK_FOR_IT}`,
  },
  email_unverified: {
    status: 403,
    title: 'Your email is not verified at PROVIDER',
    advice: `Verify it there, or send the lines below to your IT team. ${LINK}`,
    forIt: `The first sign-in needs the claim "email_verified": true. ${LINK_FOR_IT}`,
  },
  email_inexact: {
    status: 403,
    title: 'Your email at PROVIDER is not written as it would be here',
    advice: `Send the lines below to your IT team. ${LINK}`,
    forIt:
      'The first sign-in needs the email exactly as in Company Settings, Users: only the case of A to Z may differ. ' +
      `A letter that looks the same, or an accent in another encoding, makes it another address. ${LINK_FOR_IT}`,
  },
  linked_elsewhere: {
    status: 403,
    title: 'Your user is linked to another account',
    advice: 'Sign in with the account that you used before, or ask an administrator to unlink your user.',
    forIt: 'The account at the provider was replaced by one with another subject, or someone else has this email now.',
  },
  user_removed: {
    status: 403,
    title: 'You are no longer a user',
    advice: 'Ask an administrator of your company to invite you again.',
    forIt: 'An administrator removed the user with this account or email.',
  },
  account_taken: {
    status: 403,
    title: 'Another user is linked to this account',
    advice: 'Sign in with that user, or ask an administrator to unlink it.',
    forIt: 'An account at the provider belongs to one user.',
  },
  link_invalid: {
    status: 403,
    title: 'This one-time link no longer works',
    advice: 'Ask an administrator for a new one.',
    forIt: 'The link was used or replaced, or has expired. An administrator can create one on the page of the user.',
  },
}
