/** Webhooks: their settings, how far each has got, and what was sent. */
export const WEBHOOKS = [
  // The state that follows from a webhook's events, and its secrets, encrypted under a key outside the database.
  // "revision" grows with each change and with each erasure in the company: what was read before is outdated.
  `create table webhooks (
    company_id uuid not null,
    webhook_id uuid not null,
    version integer not null,
    revision integer not null default 0,
    url text not null,
    description text not null,
    types text[] not null,
    include_data boolean not null,
    concurrency smallint not null check (concurrency >= 1),
    status text not null check (status in ('enabled', 'paused', 'disabled')),
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    disabled_at timestamptz(3),
    secret bytea not null,
    previous_secret bytea,
    previous_expires_at timestamptz(3),
    rotated_at timestamptz(3),
    created_at timestamptz(3) not null,
    primary key (company_id, webhook_id)
  )`,

  // Written by every round of deliveries. Everything up to "position" has been delivered or needs no delivery; so have
  // the positions in "ahead". One process at a time delivers, under a lease that it renews with each round.
  `create table webhook_progress (
    company_id uuid not null,
    webhook_id uuid not null,
    position bigint not null check (position >= 0),
    ahead bigint[] not null default '{}',
    attempts integer not null default 0,
    failing_since timestamptz(3),
    due_at timestamptz(3),
    error text,
    is_slow boolean not null default true,
    lease_id uuid,
    leased_until timestamptz(3),
    primary key (company_id, webhook_id)
  ) with (fillfactor = 50)`,

  // One row for each attempt. What was sent is not stored: it is made from the event again. "position" is null for a
  // test ping. "answer" is the start of the receiver's answer, and is null once the event is erased.
  `create table webhook_deliveries (
    company_id uuid not null,
    webhook_id uuid not null,
    delivery_id uuid not null,
    position bigint,
    type text not null,
    sent_at timestamptz(3) not null,
    duration_ms integer not null,
    is_delivered boolean not null,
    http_status smallint,
    error text,
    answer text,
    primary key (company_id, webhook_id, delivery_id)
  )`,
  `create index webhook_deliveries_by_age on webhook_deliveries (sent_at)`,
  `create index webhook_deliveries_failed on webhook_deliveries (company_id, webhook_id, delivery_id)
    where not is_delivered`,
  `create index webhook_deliveries_by_position on webhook_deliveries (company_id, position)`,
]
