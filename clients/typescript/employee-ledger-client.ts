/* The entry of the package: what it exports, it promises. */

export type * from './api-schemas.ts'
export type { components, operations, paths } from './api-types.ts'
export type { Clock } from './attempts.ts'
export type { Batch, Batches, BatchOptions, Records } from './batches.ts'
export { createEmployeeClient } from './employee-client.ts'
export type {
  CallOptions,
  ClientSettings,
  EmployeeClient,
  UpdateOptions,
  BulkOptions,
  WriteOptions,
  Written,
} from './employee-client.ts'
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  EmployeeLedgerError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from './errors.ts'
export type { ErrorCode } from './errors.ts'
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts'
export type { WebhookMessage, WebhookType } from './webhooks.ts'
