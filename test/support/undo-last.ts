/** Takes back what the last migrations have made, so that the database is behind. Run as the owner. */
export const UNDO_LAST = [
  'drop table identity_providers, passkeys, recovery_codes',
  'drop table webhooks, webhook_progress, webhook_deliveries',
  'drop table event_traces',
  'drop table projection_versions',
  `delete from kysely_migration where name >= '0008'`,
  `update setup set fingerprint = ''`,
]
