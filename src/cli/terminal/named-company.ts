/** The company that the command line names; a process runs one command. */
let named: string | undefined

/** Remembers the company that the command line names. */
export function nameCompany(companyId: string | undefined) {
  named = companyId
}

/** The company that the command line names; undefined if it names none. */
export function namedCompany() {
  return named
}
