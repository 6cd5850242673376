/** Uploaded files, in parts that become calls one after the other. */
export const UPLOADS = [
  // "header" is the line that names the columns of a CSV file, and "mapping" is what they mean; both are null for JSON.
  // "address" and "user_agent" are those of the request that applies the file.
  `create table uploads (
    company_id uuid not null,
    upload_id uuid not null,
    user_id uuid not null,
    file_name text not null,
    operation text not null,
    header json,
    mapping json,
    corrects json not null,
    rows integer not null,
    parts integer not null,
    bytes bigint not null,
    state text not null check (state in ('previewing', 'previewed', 'applying', 'stopped', 'ended')),
    request_id text,
    address text,
    user_agent text,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    lease_id uuid,
    leased_until timestamptz(3),
    all_or_none boolean not null default true,
    primary key (company_id, upload_id)
  )`,
  `create index uploads_unfinished on uploads (company_id, created_at) where state in ('previewing', 'applying')`,
  `create index uploads_by_end on uploads (expires_at)`,

  // "content" is JSON: the lines and cells of a CSV file, or records. It is deleted once the part is applied. "counts"
  // is what a preview counted. The call of a part has its id from the start, so that it can be made only once. "left_out"
  // is the numbers of the rows that would not be applied, and "outcome" the counts of the call. "missing_of" is null if
  // the part has rows of the file. Otherwise its rows have the ids of people, and the number is how many were active when
  // they were listed.
  `create table upload_parts (
    company_id uuid not null,
    upload_id uuid not null,
    part integer not null,
    user_id uuid not null,
    call_id uuid not null,
    first_row integer not null,
    rows integer not null,
    erased integer not null default 0,
    content text,
    counts json,
    left_out json,
    outcome json,
    missing_of integer,
    state text not null default 'waiting' check (state in ('waiting', 'applied', 'refused', 'canceled')),
    primary key (company_id, upload_id, part)
  )`,

  // "header_hash" is the SHA-256 of the first line as JSON. "mapping" has no names of columns, and of the cells only words for statuses.
  `create table upload_mappings (
    company_id uuid not null,
    header_hash bytea not null,
    mapping json not null,
    used_at timestamptz(3) not null,
    primary key (company_id, header_hash)
  )`,

  // "question" is what a file leaves open that could not be read yet: there is no upload with its id. "log_id" is the
  // failed call that the file is to correct, and "notes" is which of its rows are no records.
  `create table upload_originals (
    company_id uuid not null,
    upload_id uuid not null,
    user_id uuid not null,
    file_name text not null,
    operation text,
    log_id text not null,
    answers json not null,
    question json,
    notes json,
    bytes integer not null,
    content bytea,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (company_id, upload_id)
  )`,
  // It is read in pieces, which takes as long as all of it where it is compressed.
  'alter table upload_originals alter column content set storage external',
  'create index upload_originals_by_end on upload_originals (expires_at)',
]
