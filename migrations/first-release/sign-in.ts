/** Sessions, identity providers, passkeys, and recovery codes. */
export const SIGN_IN = [
  // Stores only the hash of the cookie. "role" is the user's role when the session was created; a change of role ends
  // the session. Sessions are not part of the ledger: they are not facts about the company. "last_used" is precise to
  // the minute. "user_agent" and "address" let users recognize their sessions. "provider_session" and "id_token", which is
  // encrypted, are what ending a session at the identity provider, or on its behalf, needs.
  `create table sessions (
    company_id uuid not null,
    session_hash bytea not null check (octet_length(session_hash) = 32),
    user_id uuid not null,
    role text not null,
    created_at timestamptz(3) not null,
    last_used timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    user_agent text not null,
    address text not null,
    method text not null check (method in ('password', 'passkey', 'provider')),
    provider_session text,
    id_token bytea,
    primary key (company_id, session_hash)
  ) with (fillfactor = 80)`,
  `create index sessions_by_user on sessions (company_id, user_id)`,
  `create index sessions_by_provider on sessions (company_id, provider_session) where provider_session is not null`,
  `create index sessions_by_end on sessions (expires_at)`,

  // A company has at most one provider. "secret" is the client secret or the private key as a JWK, encrypted under a key
  // outside the database.
  `create table identity_providers (
    company_id uuid not null primary key,
    provider_id uuid not null,
    version integer not null,
    name text not null,
    issuer text not null,
    client_id text not null,
    client_auth text not null check (client_auth in ('client_secret', 'private_key_jwt')),
    creates_users boolean not null,
    role_claim text,
    roles jsonb not null,
    use text not null check (use in ('off', 'optional', 'required')),
    break_glass uuid,
    secret bytea not null,
    created_at timestamptz(3) not null,
    constraint identity_providers_break_glass check ((use = 'required') = (break_glass is not null))
  )`,

  // "last_used" is the time of the last challenge that was used: one that is no newer does not work.
  `create table passkeys (
    company_id uuid not null,
    credential_id bytea not null check (octet_length(credential_id) <= 1023),
    passkey_id uuid not null,
    user_id uuid not null,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    created_at timestamptz(3) not null,
    last_used timestamptz(3),
    primary key (company_id, credential_id)
  ) with (fillfactor = 80)`,
  `create index passkeys_by_user on passkeys (company_id, user_id)`,
  // Each code works once: its row is deleted.
  `create table recovery_codes (
    company_id uuid not null,
    user_id uuid not null,
    code_hash bytea not null check (octet_length(code_hash) = 32),
    primary key (company_id, user_id, code_hash)
  )`,
]
