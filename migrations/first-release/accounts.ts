/** API keys, users, and their tokens. */
export const ACCOUNTS = [
  // "allowed_networks" holds CIDR texts in their usual form; null allows every address. The secret before the last rotation
  // works until it expires; both of its columns are null if there is none.
  `create table api_keys (
    company_id uuid not null,
    api_id uuid not null,
    version integer not null,
    name text not null,
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    is_enabled boolean not null,
    is_revoked boolean not null,
    scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['employees:read', 'employees:write']),
    expires_at timestamptz(3),
    allowed_networks text[] check (cardinality(allowed_networks) between 1 and 32),
    quota_limit integer not null check (quota_limit >= 0),
    refresh_period text not null check (refresh_period in ('hourly', 'daily', 'weekly', 'monthly')),
    created_at timestamptz(3) not null,
    previous_secret_hash bytea check (octet_length(previous_secret_hash) = 32),
    previous_expires_at timestamptz(3),
    rotated_at timestamptz(3),
    primary key (company_id, api_id),
    constraint api_keys_previous_secret check ((previous_secret_hash is null) = (previous_expires_at is null))
  )`,
  `create table api_key_usage (
    company_id uuid not null,
    api_id uuid not null,
    window_start timestamptz(3) not null,
    requests_made integer not null check (requests_made >= 0),
    last_used timestamptz(3),
    primary key (company_id, api_id)
  ) with (fillfactor = 50)`,

  // A removed user's row stays so that ids in the ledger keep their names; the email address becomes free. "link_hash"
  // is the SHA-256 of a one-time token whose bearer may set the password. "issuer" and "subject" are the account at the
  // company's identity provider, which stays the same when the email address changes.
  `create table users (
    company_id uuid not null,
    user_id uuid not null,
    version integer not null,
    email text not null,
    name text not null,
    role text not null check (role in ('admin', 'auditor', 'member')),
    password_hash text,
    created_at timestamptz(3) not null,
    removed_at timestamptz(3),
    link_hash bytea check (octet_length(link_hash) = 32),
    link_expires_at timestamptz(3),
    issuer text,
    subject text,
    primary key (company_id, user_id),
    constraint users_link check ((link_hash is null) = (link_expires_at is null)),
    constraint users_identity check ((issuer is null) = (subject is null))
  )`,
  `create unique index users_email on users (company_id, email) where removed_at is null`,
  `create unique index users_by_link on users (company_id, link_hash) where link_hash is not null`,
  `create unique index users_by_identity on users (company_id, issuer, subject)
    where subject is not null and removed_at is null`,
  // Signing in names an email address but no company.
  `create index users_who_sign_in on users (email) where removed_at is null`,

  // A token without a scope may do everything that its user may do.
  `create table user_tokens (
    company_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    token_id uuid not null,
    user_id uuid not null,
    name text not null,
    scope text check (scope in ('audit')),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    last_used timestamptz(3),
    revoked_at timestamptz(3),
    primary key (company_id, token_hash)
  )`,
  `create unique index user_tokens_by_id on user_tokens (company_id, token_id)`,
  `create index user_tokens_by_user on user_tokens (company_id, user_id, token_id)`,
]
