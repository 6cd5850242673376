/** Signing in, messages to users, and what finds the key of a secret. */
export const ACCOUNTS = [
  // A message is inserted by the transaction of the change that causes it, and sent at most once. "content" is encrypted
  // under a key outside the database, and deleted when the state is final. The address of the user is looked up when the
  // message is sent. "sending" begins before the server is told of the message: if its lease ends, nobody knows what
  // became of it. "error" says why it is not sent, without what the server said, which may be personal.
  `create table emails (
    company_id uuid not null,
    email_id uuid not null,
    user_id uuid not null,
    kind text not null,
    state text not null check (state in ('waiting', 'sending', 'sent', 'failed', 'canceled', 'unknown')),
    content bytea,
    attempts integer not null default 0,
    error text,
    created_at timestamptz(3) not null,
    due_at timestamptz(3) not null,
    give_up_at timestamptz(3) not null,
    ended_at timestamptz(3),
    lease_id uuid,
    leased_until timestamptz(3),
    primary key (company_id, email_id),
    constraint emails_open check ((ended_at is null) = (state in ('waiting', 'sending'))),
    constraint emails_content check (content is null or ended_at is null)
  ) with (fillfactor = 50)`,
  `create index emails_waiting on emails (company_id, due_at) where ended_at is null`,
  `create index emails_by_user on emails (company_id, user_id, created_at)`,
  `create index emails_by_age on emails (created_at)`,

  // "reset_hash" is the SHA-256 of a one-time token that the user has asked for. Until it is used, the password works.
  `alter table users add column reset_hash bytea check (octet_length(reset_hash) = 32),
    add column reset_expires_at timestamptz(3),
    add constraint users_reset check ((reset_hash is null) = (reset_expires_at is null))`,
  `create unique index users_by_reset on users (company_id, reset_hash) where reset_hash is not null`,

  // What became of sessions and is not in the ledger yet. A row is inserted by the transaction that starts or ends the
  // sessions, and deleted by the one that appends the event. "address" and "user_agent" are of "actor", who caused it.
  `create table session_events (
    company_id uuid not null,
    event_id uuid not null,
    user_id uuid not null,
    type text not null check (type in ('UserSignedIn', 'UserSignedOut', 'UserSessionsEnded')),
    data jsonb not null,
    actor text not null,
    address text,
    user_agent text,
    happened_at timestamptz not null,
    primary key (company_id, event_id)
  )`,
  `create index session_events_in_order on session_events (company_id, happened_at, event_id)`,

  // The last sign-in of each user. Where it came from is deleted after a while, like the rows of "actor_clients".
  `create table last_sign_ins (
    company_id uuid not null,
    user_id uuid not null,
    signed_in_at timestamptz(3) not null,
    method text not null check (method in ('password', 'passkey', 'recovery_code', 'provider')),
    address text,
    user_agent text,
    primary key (company_id, user_id)
  ) with (fillfactor = 50)`,
  `create index last_sign_ins_by_age on last_sign_ins (signed_in_at) where address is not null`,

  // The failed sign-ins of a user in an hour, counted by what was wrong, and from where the last one came. "is_recorded"
  // says that the hour is over and its event, if it has one, in the ledger.
  `create table failed_sign_ins (
    company_id uuid not null,
    user_id uuid not null,
    hour timestamptz(3) not null,
    password integer not null,
    passkey integer not null,
    recovery_code integer not null,
    last_at timestamptz(3) not null,
    address text,
    user_agent text,
    is_recorded boolean not null default false,
    primary key (company_id, user_id, hour)
  ) with (fillfactor = 50)`,
  `create index failed_sign_ins_unrecorded on failed_sign_ins (company_id, hour) where not is_recorded`,
  `create index failed_sign_ins_by_age on failed_sign_ins (last_at)`,

  // "token_hash" is the SHA-256 of the token's issuer and "jti". After "expires_at" the token is too old to be accepted.
  `create table logout_tokens (
    company_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    expires_at timestamptz(3) not null,
    primary key (company_id, token_hash)
  )`,
  `create index logout_tokens_by_end on logout_tokens (expires_at)`,

  // 244 random bits. From them come the salt of each email address, and the signature of the cookie of known browsers.
  `alter table setup add column sign_in_key bytea not null
    default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())`,
  // The user has set a password through a link that only a message to this address contained.
  `alter table users add column has_proved_email boolean not null default false`,

  // By the SHA-256 of each secret, in hexadecimal. A process of the previous version may rotate the key without writing
  // this column; the characters of the old secret must not then be taken for those of the new one.
  `alter table api_keys add column last_four jsonb`,
  `alter table user_tokens add column last_four text check (char_length(last_four) = 4)`,
]
