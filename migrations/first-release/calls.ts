/** What the transaction of a call keeps beside its events. */
export const CALLS = [
  // The call that each idempotency key is bound to and, for a while, the answer to that call. "key_hash" is an HMAC of
  // the key under the company's hash_key, "fingerprint" one of the request under "salt". Salt, fingerprint and answer
  // become null together when the answer expires or a person is erased. The row stays, so that a key is never forgotten.
  // "may_name_anyone" is set if the request may name people who appear in neither the call's events nor its answer.
  `create table idempotency_keys (
    company_id uuid not null,
    api_id uuid not null,
    key_hash bytea not null check (octet_length(key_hash) = 32),
    salt bytea check (octet_length(salt) = 16),
    fingerprint bytea check (octet_length(fingerprint) = 32),
    may_name_anyone boolean not null,
    call_id uuid not null,
    position bigint not null,
    status smallint not null,
    answered_at timestamptz(3) not null,
    headers json,
    body text,
    primary key (company_id, api_id, key_hash),
    check (num_nulls(salt, fingerprint, headers, body) in (0, 4))
  )`,
  // Calls with an idempotency key that have been running for a while, so that a retry in another process can tell.
  `create table long_calls (
    company_id uuid not null,
    call_id uuid not null,
    api_id uuid not null,
    key_hash bytea not null,
    began_at timestamptz(3) not null,
    primary key (company_id, call_id)
  )`,
  `create index idempotency_keys_to_expire on idempotency_keys (answered_at) where body is not null`,

  // The trace of each call, so that the workers can continue it. It is not part of the events, which are kept forever: a
  // trace is useful for a day. Untraced calls have no row. "position" is that of the call's last event; "traceparent" is
  // as in W3C Trace Context.
  `create table event_traces (
    company_id uuid not null,
    position bigint not null check (position >= 1),
    traceparent text not null check (octet_length(traceparent) = 55),
    recorded_at timestamptz(3) not null,
    primary key (company_id, position)
  )`,
  `create index event_traces_by_age on event_traces (recorded_at)`,
]
