import type { FormFields } from '#pages/parts/form'

/** How to register this service at a kind of provider, and what to enter here. */
interface ProviderGuide {
  label: string
  /** What to do there, in order. Text between backticks is what the provider's pages say, or a value to enter there. */
  steps: string[]
  /** What the form begins with. */
  fields: FormFields
  /** The issuer, with what differs in braces. */
  issuer: string
  /** Whether it takes no public key of ours, so that only a secret is asked for. */
  takesNoKey?: true
}

/** The guides by their value in the address. */
export const PROVIDER_GUIDES: Readonly<Record<string, ProviderGuide>> = {
  entra: {
    label: 'Entra ID',
    steps: [
      'Open `App registrations → New registration`. Choose accounts in this organizational directory only, the ' +
        'platform `Web`, and the redirect URI below.',
      'Open `Certificates & secrets → New client secret` and copy its value. Note when it expires.',
      'Open `Token configuration → Add optional claim → ID` and add `email`.',
      'For roles, open `App roles` and create one whose value is `ledger-admin`, and assign it under `Enterprise ' +
        'applications → Users and groups`.',
      'Entra ID does not say whether an email is verified: invite people, and let each link their account on ' +
        'their account page.',
    ],
    fields: { name: 'Entra ID', role_claim: 'roles', roles: 'ledger-admin = admin' },
    issuer: 'https://login.microsoftonline.com/{tenant ID}/v2.0',
    takesNoKey: true,
  },
  okta: {
    label: 'Okta',
    steps: [
      'Open `Applications → Create App Integration`. Choose `OIDC` and `Web Application`.',
      'Enter the redirect URI below as sign-in redirect URI, and the post-logout redirect URI as sign-out ' +
        'redirect URI.',
      'Under `General`, copy the client ID and the client secret. Under `Assignments`, choose who may sign in.',
      'For roles, open `Sign On → OpenID Connect ID Token` and set the groups claim filter `groups` to start ' +
        'with `ledger-`.',
    ],
    fields: { name: 'Okta', role_claim: 'groups', roles: 'ledger-admins = admin' },
    issuer: 'https://{your domain}.okta.com',
  },
  google: {
    label: 'Google Workspace',
    steps: [
      'In the Google Cloud console, choose `Internal` as the audience of the OAuth consent screen.',
      'Open `Credentials → Create credentials → OAuth client ID`. Choose `Web application`, and enter the ' +
        'redirect URI below.',
      'Copy the client ID and the client secret. Google sends no groups, so roles are changed here.',
    ],
    fields: { name: 'Google', issuer: 'https://accounts.google.com' },
    issuer: 'https://accounts.google.com',
    takesNoKey: true,
  },
  keycloak: {
    label: 'Keycloak',
    steps: [
      'Open `Clients → Create client`, with client authentication and only the standard flow.',
      'Enter the redirect URI and the post-logout redirect URI below and, under `Logout settings`, the ' +
        'back-channel logout URL, with session required.',
      'Under `Credentials`, choose `Client Id and Secret` and copy the secret.',
      'For roles, open `Client scopes → the dedicated scope → Add mapper → Group Membership`, with the claim ' +
        '`groups`, without the full path, added to the ID token.',
    ],
    fields: { name: 'Keycloak', role_claim: 'groups', roles: 'ledger-admins = admin' },
    issuer: 'https://{host}/realms/{realm}',
  },
}

/** For every other provider. */
export const ANY_PROVIDER: ProviderGuide = {
  label: 'Other',
  steps: [
    'Register this service as a web application, with the authorization code flow and the redirect URI below.',
    'Copy the client ID and the client secret, and find out the issuer: its address, followed by ' +
      '`/.well-known/openid-configuration`, must open.',
  ],
  fields: {},
  issuer: 'https://{host}',
}
