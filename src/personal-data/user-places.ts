import type { UserRef } from '#accounts/users/users'
import type { RecordedEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { readPagesOutsideCalls, readStreamPages } from '#ledger/erasure/find-events'
import { columns, describeTable, type EventReader, type FoundIn, type PersonTable, type RowPlace } from './places.ts'

/** The events that hold data of a user. */
export const USER_EVENTS: Readonly<Record<'history' | 'uploaded_files', EventReader<UserRef>>> = {
  /** The user's own events. */
  history: (db, { companyId, userId }, after) => readStreamPages(db, companyId, userId, after),
  /** The files that the user uploaded. */
  async *uploaded_files(db, { companyId, userId }, after) {
    for await (const page of readPagesOutsideCalls(db, companyId, ['FileUploaded'], after))
      yield page.filter(({ actor }) => actor === userId)
  },
}

/** Where the events are found whose data the erasure of a user may delete. */
const FOUND_IN: FoundIn<'UserErased', 'usr', keyof typeof USER_EVENTS> = {
  UserInvited: 'history',
  UserTokenIssued: 'history',
  UserIdentityLinked: 'history',
  UserPasskeyAdded: 'history',
  FileUploaded: 'uploaded_files',
}

/** Whether the erasure of a user may delete the data of an event. */
export function isErasedWithUser({ type }: Pick<RecordedEvent, 'type'>) {
  return Object.hasOwn(FOUND_IN, type)
}

const CLIENT = columns('address', 'user_agent')
const NO_CLIENT = { address: 'null', user_agent: 'null' }

interface UserTable extends Omit<PersonTable<UserRef>, 'of'> {
  /** The column that names the user. Default: `user_id`. */
  user?: 'actor_id' | 'actor'
}

const USER_TABLES = {
  account: {
    table: 'users',
    key: { user_id: 'uuid' },
    shows: {
      email: "nullif(email, '')",
      name: "nullif(name, '')",
      issuer: 'issuer',
      subject: 'subject',
      ...columns('role', 'created_at', 'removed_at'),
      has_password: 'password_hash is not null',
      one_time_link_expires_at: 'link_expires_at',
      password_reset_expires_at: 'reset_expires_at',
      has_proved_email: 'has_proved_email',
      wants_alerts: 'wants_alerts',
      alerted_at: 'told_at',
    },
    sets: { email: "''", name: "''", issuer: 'null', subject: 'null' },
  },
  tokens: {
    table: 'user_tokens',
    key: { token_id: 'uuid' },
    ids: { token_id: 'tok' },
    shows: columns('token_id', 'name', 'last_four', 'scope', 'created_at', 'expires_at', 'last_used', 'revoked_at'),
    sets: 'delete',
  },
  passkeys: {
    table: 'passkeys',
    key: { credential_id: 'bytea' },
    ids: { passkey_id: 'psk' },
    shows: columns('passkey_id', 'name', 'transports', 'created_at', 'last_used'),
    sets: 'delete',
  },
  recovery_codes: {
    table: 'recovery_codes',
    key: { code_hash: 'bytea' },
    shows: { status: "'unused'" },
    sets: 'delete',
  },
  sessions: {
    table: 'sessions',
    key: { session_hash: 'bytea' },
    shows: {
      ...CLIENT,
      ...columns('method', 'role', 'created_at', 'last_used', 'expires_at', 'provider_session'),
      id_token: "case when id_token is not null then 'encrypted until the session ends' end",
    },
    sets: 'delete',
  },
  /** Signing in and out, until it is in the ledger. */
  waiting_sign_ins: {
    table: 'session_events',
    user: 'actor',
    key: { event_id: 'uuid' },
    shows: { ...CLIENT, ...columns('type', 'data', 'happened_at') },
    sets: NO_CLIENT,
  },
  last_sign_in: {
    table: 'last_sign_ins',
    key: { user_id: 'uuid' },
    shows: { ...CLIENT, ...columns('signed_in_at', 'method') },
    sets: NO_CLIENT,
  },
  failed_sign_ins: {
    table: 'failed_sign_ins',
    key: { hour: 'timestamptz' },
    shows: { ...CLIENT, ...columns('hour', 'password', 'passkey', 'recovery_code', 'last_at') },
    sets: NO_CLIENT,
  },
  addresses: {
    table: 'actor_clients',
    user: 'actor_id',
    key: { client_id: 'bigint' },
    shows: { ...CLIENT, ...columns('first_at', 'last_at') },
    sets: 'delete',
  },
  /** A problem that the user put off is shown again once they are erased. */
  snoozes: {
    table: 'attention_snoozes',
    user: 'actor',
    key: { name: 'text' },
    shows: { problem: "item ->> 'kind'", ...columns('until', 'reason') },
    sets: 'delete',
  },
  emails: {
    table: 'emails',
    key: { email_id: 'uuid' },
    shows: {
      ...columns('kind', 'state', 'attempts', 'error', 'created_at', 'ended_at'),
      content: "case when content is not null then 'encrypted until the message is sent' end",
    },
    sets: { content: 'null', error: 'null' },
  },
  uploads: {
    table: 'uploads',
    key: { upload_id: 'uuid' },
    ids: { upload_id: 'upl' },
    shows: { ...CLIENT, ...columns('upload_id', 'file_name', 'rows', 'state', 'created_at', 'expires_at') },
    sets: 'delete',
  },
  upload_originals: {
    table: 'upload_originals',
    key: { upload_id: 'uuid' },
    ids: { upload_id: 'upl' },
    shows: columns('upload_id', 'file_name', 'bytes', 'created_at', 'expires_at'),
    sets: 'delete',
  },
  upload_parts: {
    table: 'upload_parts',
    key: { call_id: 'uuid' },
    ids: { call_id: 'log' },
    shows: columns('call_id', 'part', 'state'),
    sets: 'delete',
  },
} as const satisfies Readonly<Record<string, UserTable>>

export type UserRows = keyof typeof USER_TABLES

/** The rows beside the ledger that hold data of a user. */
export const USER_ROWS = Object.fromEntries(
  Object.entries(USER_TABLES).map(([name, table]: [string, UserTable]) => [
    name,
    describeTable<UserRef>({ ...table, of: ofUser(table.user) }),
  ]),
) as Readonly<Record<UserRows, RowPlace<UserRef>>>

/** How a column names the user: by the UUID, or, if it is `actor`, by the id. */
function ofUser(column: NonNullable<UserTable['user']> | 'user_id' = 'user_id'): PersonTable<UserRef>['of'] {
  return column === 'actor'
    ? { column, type: 'text', values: ({ userId }) => [userId] }
    : { column, type: 'uuid', values: ({ userId }) => [toUuid(userId)] }
}
