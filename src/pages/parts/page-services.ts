import type { Budget } from '#admission/budget'
import type { ProviderServices } from '#accounts/providers/change-provider'
import type { CompanyServices } from '#accounts/change-company'
import type { FailedSignIns } from '#accounts/sign-in/failed-sign-ins'
import type { ProviderClient } from '#accounts/oidc/provider-client'
import type { StoredFiles } from '#evidence/make-stored-file'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import type { Reads } from '#ledger/read/reads'
import type { SystemHealth } from '#ledger/read/read-standings'
import type { LedgerDb } from '#ledger/tables'
import type { UploadRouteServices } from '#uploads/store-file'
import type { RequireLogEntry } from '#log/log-entries'
import type { SessionSettings } from '#http/access/session'
import type { SignInLimits } from '#http/access/sign-in-limits'
import type { WebhookRouteServices } from '#api/admin/webhooks/webhook-schemas'

export interface PageServices extends WebhookRouteServices {
  /** The primary, on connections that long reads do not use: for sessions. */
  access: LedgerDb
  /** The connections of `access`, for starting and ending sessions, and finding the companies of someone who signs in. */
  accessPool: CompanyServices['pool']
  /** Reads of the ledger and its projections. */
  reads: Reads
  requireLogEntry: RequireLogEntry
  company: CompanyServices
  /** Counts failed sign-ins of users. */
  failures: FailedSignIns
  signIns: SignInLimits
  providers: ProviderServices & {
    /** Signs users in through the identity providers of their companies. */
    client: ProviderClient
    /** Whether an issuer may use http, for development. */
    allowsHttp: boolean
  }
  signer: CheckpointSigner
  /** Evidence files that workers make. */
  storedFiles: StoredFiles
  health: SystemHealth
  /** Uploading files, whose parts become calls. */
  uploads: UploadRouteServices
  /** Bytes of files that are being received. */
  fileBudget: Budget
  sessions: SessionSettings
  /** Whether the read models of the pages are filled. */
  areReadModelsComplete(): Promise<boolean>
  /** Failed authentications of one address in a minute; 0 is no limit. */
  failureLimit: number
}
