import { type SourceFile, withoutComments } from './source-files.ts'

/** Taking blanks off, unifying Unicode forms, and comparing in any case. */
const NORMALIZING =
  /\.(?:trim|trimStart|trimEnd|normalize)\(|Case\(\)(?:\s*[!=]==|\.(?:includes|startsWith|endsWith)\()/

/** The normalization of the domain, and where texts are changed that nobody has typed, or not to compare them. */
const MAY_NORMALIZE = new Map([
  ['src/text/normalize-text.ts', 'the one normalization'],
  ['src/text/clean-phone.ts', 'reads digits in any script'],
  ['src/config.ts', 'blanks around settings'],
  ['src/domain/secret-members.ts', 'words in the names of members'],
  ['src/domain/employees/entity-tag.ts', 'a header'],
  ['src/http/server/compression.ts', 'a header'],
  ['src/http/server/forwarded-addresses.ts', 'a header'],
  ['src/http/server/media-types.ts', 'a header'],
  ['clients/typescript/webhooks.ts', 'the names of headers'],
  ['src/bodies/json-body.ts', 'the blanks of JSON'],
  ['src/bootstrap/witnesses.ts', 'a setting of the operator'],
  ['src/accounts/users/password.ts', 'a password, whose blanks count'],
  ['src/accounts/mail/email.ts', 'how a message is shown'],
  ['src/cli/completion.ts', 'our own text'],
  ['src/cli/examples.ts', 'our own text'],
  ['src/cli/demo/demo-employees.ts', 'our own text'],
  ['src/postgres/embedded/data-folder.ts', 'the output of a program'],
  ['src/postgres/embedded/database-os-user.ts', 'the output of a program'],
  ['src/postgres/embedded/postgres-server.ts', 'the output of a program'],
  ['clients/typescript/send/read-arguments.ts', 'a secret in a file'],
])

/**
 * Files that take blanks off texts, unify their Unicode forms, or compare them in any case by themselves. `trim` leaves a
 * zero-width space where the domain takes it off, so two rules would tell people apart who are one.
 */
export function normalizationFaults(files: SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => NORMALIZING.test(withoutComments(text)) && !MAY_NORMALIZE.has(path))
    .map(({ path }) => `${path} must ask trimBlanks, normalizeText, normalizeEmail or foldText`)
}

/** Files that may normalize texts by themselves and don't. */
export function unusedNormalizers(files: SourceFile[]): string[] {
  const normalizing = new Set(
    files.filter(({ text }) => NORMALIZING.test(withoutComments(text))).map(({ path }) => path),
  )
  return [...MAY_NORMALIZE.keys()].filter((path) => !normalizing.has(path))
}
