/** What tells administrators and operators that something is wrong. */
export const ATTENTION = [
  // When calls of the key are expected (see domain/accounts/expected-calls.ts), and since when.
  `alter table api_keys add column expected_calls jsonb, add column expected_since timestamptz(3),
    add constraint api_keys_expected check ((expected_calls is null) = (expected_since is null))`,
  // Since when nobody could sign in through the provider for a reason that its company has to mend, and the last reason.
  `alter table identity_providers add column failing_since timestamptz(3), add column fault text,
    add constraint identity_providers_fault check ((failing_since is null) = (fault is null))`,

  // What needs attention, as of the company's events. "name" tells an item from all others. A row and its event are
  // written together, so each change is told exactly once.
  `create table raised_attention (
    company_id uuid not null,
    name text collate "C" not null,
    item jsonb not null,
    primary key (company_id, name)
  )`,
  // The time of the facts that were last compared. Whoever comes with older facts changes nothing.
  `create table attention_checks (
    company_id uuid primary key,
    checked_at timestamptz(3) not null
  ) with (fillfactor = 50)`,
  // Whether a user wants alerts by email; up to which position they were told, and when last.
  `alter table users add column wants_alerts boolean not null default false,
    add column told_position bigint, add column told_at timestamptz(3)`,

  // "name" and "item" as in raised_attention. The problem is shown again from the day "until" (YYYY-MM-DD) of the
  // company's time zone.
  `create table attention_snoozes (
    company_id uuid not null,
    name text collate "C" not null,
    item jsonb not null,
    until text not null,
    reason text not null,
    actor text not null,
    primary key (company_id, name)
  )`,

  // "work" is one of domain/background-work.ts. "subject" is the witness or the upload that it is about, or empty. A row is
  // deleted when the same work succeeds; "seen_at" is when it failed last.
  `create table failing_work (
    company_id uuid not null,
    work text collate "C" not null,
    subject text collate "C" not null,
    since timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    error text not null,
    primary key (company_id, work, subject)
  )`,
  `create index failing_work_by_age on failing_work (seen_at)`,
]
