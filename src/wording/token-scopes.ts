import type { TokenScope, TokenScopes } from '#domain/accounts/roles'

/** What a token with each scope lets a program do. */
export const SCOPE_WORDS: Readonly<Record<TokenScope, string>> = {
  'logs:read': 'read Bulk User Logs',
  'uploads:write': 'upload files',
  'people:read': 'download the employees',
  audit: 'read the audit endpoints',
}

/** What a token lets a program do. */
export function describeScopes(scopes: TokenScopes): string {
  return scopes === null ? 'do everything you can do' : scopes.map((scope) => SCOPE_WORDS[scope]).join(', ')
}
