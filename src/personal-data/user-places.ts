import type { UserRef } from '../accounts/users/users.ts'
import type { RecordedEvent } from '../domain/events.ts'
import { fromUuid, toUuid, type IdPrefix } from '../domain/ids.ts'
import { readPagesOutsideCalls, readStreamPages } from '../ledger/erasure/find-events.ts'
import type { EventReader, FoundIn, Row, RowPlace } from './places.ts'

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
export function isErasedWithUser({ type }: Pick<RecordedEvent, 'type'>): boolean {
  return Object.hasOwn(FOUND_IN, type)
}

/** The rows of users in a table. */
interface UserTable {
  table: string
  /** The column with the user's UUID, or, if it is `actor`, with the id. Default: `user_id`. */
  user?: 'actor_id' | 'actor'
  /** What tells the user's rows apart, and its type. */
  key: [column: string, type: 'uuid' | 'bytea' | 'bigint' | 'timestamptz' | 'text']
  /** The columns that reports show, by their names there. None is a secret. */
  shows: Readonly<Record<string, string>>
  /** The ids among them. */
  ids?: Readonly<Record<string, IdPrefix>>
  /** What an erasure does: it sets columns, by their names in reports, to values, or deletes the rows. */
  sets: Readonly<Record<string, string>> | 'delete'
}

const columns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))
const CLIENT = columns('address', 'user_agent')
const NO_CLIENT = { address: 'null', user_agent: 'null' }

const USER_TABLES = {
  account: {
    table: 'users',
    key: ['user_id', 'uuid'],
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
    key: ['token_id', 'uuid'],
    ids: { token_id: 'tok' },
    shows: columns('token_id', 'name', 'last_four', 'scope', 'created_at', 'expires_at', 'last_used', 'revoked_at'),
    sets: 'delete',
  },
  passkeys: {
    table: 'passkeys',
    key: ['credential_id', 'bytea'],
    ids: { passkey_id: 'psk' },
    shows: columns('passkey_id', 'name', 'transports', 'created_at', 'last_used'),
    sets: 'delete',
  },
  recovery_codes: {
    table: 'recovery_codes',
    key: ['code_hash', 'bytea'],
    shows: { status: "'unused'" },
    sets: 'delete',
  },
  sessions: {
    table: 'sessions',
    key: ['session_hash', 'bytea'],
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
    key: ['event_id', 'uuid'],
    shows: { ...CLIENT, ...columns('type', 'data', 'happened_at') },
    sets: NO_CLIENT,
  },
  last_sign_in: {
    table: 'last_sign_ins',
    key: ['user_id', 'uuid'],
    shows: { ...CLIENT, ...columns('signed_in_at', 'method') },
    sets: NO_CLIENT,
  },
  failed_sign_ins: {
    table: 'failed_sign_ins',
    key: ['hour', 'timestamptz'],
    shows: { ...CLIENT, ...columns('hour', 'password', 'passkey', 'recovery_code', 'last_at') },
    sets: NO_CLIENT,
  },
  addresses: {
    table: 'actor_clients',
    user: 'actor_id',
    key: ['client_id', 'bigint'],
    shows: { ...CLIENT, ...columns('first_at', 'last_at') },
    sets: 'delete',
  },
  /** A problem that the user put off is shown again once they are erased. */
  snoozes: {
    table: 'attention_snoozes',
    user: 'actor',
    key: ['name', 'text'],
    shows: { problem: "item ->> 'kind'", ...columns('until', 'reason') },
    sets: 'delete',
  },
  emails: {
    table: 'emails',
    key: ['email_id', 'uuid'],
    shows: {
      ...columns('kind', 'state', 'attempts', 'error', 'created_at', 'ended_at'),
      content: "case when content is not null then 'encrypted until the message is sent' end",
    },
    sets: { content: 'null', error: 'null' },
  },
  uploads: {
    table: 'uploads',
    key: ['upload_id', 'uuid'],
    ids: { upload_id: 'upl' },
    shows: { ...CLIENT, ...columns('upload_id', 'file_name', 'rows', 'state', 'created_at', 'expires_at') },
    sets: 'delete',
  },
  upload_originals: {
    table: 'upload_originals',
    key: ['upload_id', 'uuid'],
    ids: { upload_id: 'upl' },
    shows: columns('upload_id', 'file_name', 'bytes', 'created_at', 'expires_at'),
    sets: 'delete',
  },
  upload_parts: {
    table: 'upload_parts',
    key: ['call_id', 'uuid'],
    ids: { call_id: 'log' },
    shows: columns('call_id', 'part', 'state'),
    sets: 'delete',
  },
} as const satisfies Readonly<Record<string, UserTable>>

export type UserRows = keyof typeof USER_TABLES

/** The rows beside the ledger that hold data of a user. */
export const USER_ROWS = Object.fromEntries(
  Object.entries(USER_TABLES).map(([name, table]) => [name, makeRowPlace(table)]),
) as Readonly<Record<UserRows, RowPlace<UserRef>>>

const ROWS_PER_PAGE = 500

function makeRowPlace(described: UserTable): RowPlace<UserRef> {
  const { table, user = 'user_id', shows, ids = {}, sets } = described
  const [key, type] = described.key
  const select = Object.entries(shows).map(([name, column]) => `${column} as ${name}`)
  const isOfUser = `company_id = $1 and ${user} = $2`
  const change = Object.entries(sets === 'delete' ? {} : sets).map(([name, value]) => `${name} = ${value}`)
  const valuesOf = ({ companyId, userId }: UserRef) => [toUuid(companyId), user === 'actor' ? userId : toUuid(userId)]
  const toRow = (row: Record<string, unknown>): Row =>
    Object.fromEntries(
      Object.keys(shows).map((name) => [name, name in ids ? fromUuid(ids[name]!, row[name] as string) : row[name]]),
    )
  return {
    erases: Object.keys(sets === 'delete' ? shows : sets),
    async *read(db, of) {
      for (let last: unknown = null; ;) {
        const { rows } = await db.query<Record<string, unknown> & { page_key: unknown }>(
          `select ${select.join(', ')}, ${key} as page_key from ${table}
           where ${isOfUser} and ($3::${type} is null or ${key} > $3) order by ${key} limit ${ROWS_PER_PAGE}`,
          [...valuesOf(of), last],
        )
        yield rows.map(toRow)
        if (rows.length < ROWS_PER_PAGE) return
        last = rows.at(-1)!.page_key
      }
    },
    async erase(client, of) {
      const statement = sets === 'delete' ? `delete from ${table}` : `update ${table} set ${change.join(', ')}`
      await client.query(`${statement} where ${isOfUser}`, valuesOf(of))
    },
  }
}
