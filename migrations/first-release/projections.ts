/** What the program records about itself and its projections. */
export const PROJECTIONS = [
  // One row: a fingerprint of the setup that `migrate` last applied, so that a program that needs another one notices.
  `create table setup (
    id integer primary key check (id = 1),
    fingerprint text not null
  )`,

  // The position that each version of each projection has reached in each company, and its failures there.
  `create table checkpoints (
    company_id uuid not null,
    projection text not null,
    version integer not null,
    position bigint not null check (position >= 0),
    attempts integer not null default 0,
    next_try_at timestamptz(3),
    parked_at timestamptz(3),
    error text,
    primary key (company_id, projection, version)
  ) with (fillfactor = 50)`,

  // Which versions of the projections may be read: those whose tables have once caught up with the heads.
  `create table projection_versions (
    projection text not null,
    version integer not null,
    completed_at timestamptz(3) not null,
    primary key (projection, version)
  )`,
]
