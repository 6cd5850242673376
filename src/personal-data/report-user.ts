import { RefusedByStateError, type Acting, type CompanyServices } from '#accounts/change-company'
import { NO_SUCH_USER } from '#accounts/users/change-user'
import { isErasedWithUser, USER_EVENTS, USER_ROWS, type UserRows } from './user-places.ts'
import { findActs } from '#ledger/erasure/find-events'
import { describeEvents, ERASED_FIELDS, beginReport, readPlaces, type Report, type Section } from './report.ts'

/**
 * Reports what is held about a user of the pages, who may be removed or erased. Users may ask for it about themselves,
 * administrators about everyone. Records the report in the ledger. Throws RefusedByStateError with `user_not_found`.
 */
export async function reportUser(services: CompanyServices, acting: Acting, userId: string): Promise<Report> {
  const { pool } = services
  const { companyId, actor } = acting
  const user = { companyId, userId }
  const { value: accounts = [] } = await USER_ROWS.account.read(pool, user).next()
  if (accounts.length === 0) throw new RefusedByStateError(NO_SUCH_USER)
  const name = (accounts[0]!['name'] as string | null) || undefined
  const beginning = await beginReport(services, acting, { id: userId, name, isActor: actor === userId })
  const facts = { ...beginning.facts, user_id: userId, standing: accounts[0]!['email'] === null ? 'erased' : 'user' }
  const sections: Section[] = [
    ...Object.entries(readPlaces(USER_ROWS, pool, user)).map(([name, contents]): Section => {
      return { name, ...WORDS[name as UserRows], ...contents }
    }),
    {
      name: 'personal_events',
      title: 'Events with personal data',
      erases: ERASED_FIELDS,
      description:
        'Events of this user with names of people, tokens or passkeys, or an account. An erasure deletes their ' +
        'data; that they happened stays.',
      items: describeEvents(USER_EVENTS.history(pool, user, 0), isErasedWithUser),
    },
    {
      name: 'other_events',
      title: 'Other events',
      erases: [],
      description:
        'Other events of this user: roles, passwords, signing in and out. They stay under the id of the user.',
      items: describeEvents(USER_EVENTS.history(pool, user, 0), (event) => !isErasedWithUser(event)),
    },
    {
      name: 'uploaded_files',
      title: 'Uploaded files',
      erases: ERASED_FIELDS,
      description: 'The names of the files that this user uploaded.',
      items: describeEvents(USER_EVENTS.uploaded_files(pool, user, 0)),
    },
    {
      name: 'acts',
      title: 'What this user did',
      erases: [],
      description: 'All events that this user caused, without their data, which are about others. They stay.',
      items: describeActs(services, acting, userId),
    },
  ]
  return { ...beginning, facts, sections }
}

const WORDS: Readonly<Record<UserRows, Pick<Section, 'title' | 'description'>>> = {
  account: {
    title: 'Account',
    description: 'Name, email address, role, account at the identity provider, and settings.',
  },
  tokens: {
    title: 'Access tokens',
    description: 'Names and uses of tokens. Of their secrets, only hashes are stored.',
  },
  passkeys: { title: 'Passkeys', description: 'Names and uses of passkeys. Removing the user deletes them.' },
  recovery_codes: {
    title: 'Recovery codes',
    description: 'Unused codes, stored as hashes. Removing the user deletes them.',
  },
  sessions: { title: 'Sessions', description: 'Where this user is signed in. Removing the user ends them.' },
  waiting_sign_ins: {
    title: 'Sign-ins on their way to the ledger',
    description: 'What became of sessions a moment ago, and from where.',
  },
  last_sign_in: { title: 'Last sign-in', description: 'When, how, and from where this user last signed in.' },
  failed_sign_ins: {
    title: 'Failed sign-ins',
    description: 'Failed attempts to sign in as this user, by hour, and from where the last one came.',
  },
  addresses: {
    title: 'Addresses and programs',
    description: 'From where this user sent requests, by day, as long as addresses are kept.',
  },
  snoozes: {
    title: 'Snoozed problems',
    description: 'Problems that this user put off until a day, and why. Erasing the user shows them again.',
  },
  emails: { title: 'Messages', description: 'Messages to this user that wait or were sent, without what they said.' },
  uploads: {
    title: 'Stored files',
    description: 'Files that this user uploaded in the last day, and from where they were applied.',
  },
  upload_originals: {
    title: 'Files as they were sent',
    description: 'How files of the last day were read. Their contents are deleted once they are applied.',
  },
  upload_parts: {
    title: 'Parts of stored files',
    description: 'The calls that these files become. Their rows are about employees.',
  },
}

async function* describeActs({ pool }: CompanyServices, { companyId }: Acting, userId: string) {
  for await (const page of findActs(pool, companyId, userId)) {
    yield page.map(({ position, recorded_at, type, stream }) => ({ position, recorded_at, type, stream }))
  }
}
