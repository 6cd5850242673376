import type { EventType } from '../../../domain/events.ts'

/** The groups of event types that the event stream can be narrowed to. Each type is in one of them. */
export const EVENT_GROUPS = {
  calls: { label: 'Calls', types: ['ApiCallCompleted', 'ApiCallFailed', 'EmployeeRecordRejected', 'FileUploaded'] },
  employees: {
    label: 'Employees',
    types: ['EmployeeCreated', 'EmployeeUpdated', 'EmployeeDeactivated', 'EmployeeReactivated', 'EmployeeErased'],
  },
  keys: {
    label: 'API keys',
    types: [
      'ApiKeyIssued',
      'ApiKeyRenamed',
      'ApiKeyQuotaChanged',
      'ApiKeyAccessChanged',
      'ApiKeyExpectedCallsChanged',
      'ApiKeyRotated',
      'ApiKeyDisabled',
      'ApiKeyEnabled',
      'ApiKeyRevoked',
    ],
  },
  webhooks: {
    label: 'Webhooks',
    types: [
      'WebhookCreated',
      'WebhookChanged',
      'WebhookSecretRotated',
      'WebhookPaused',
      'WebhookResumed',
      'WebhookDisabled',
      'WebhookRemoved',
    ],
  },
  users: {
    label: 'Users',
    types: [
      'UserInvited',
      'UserRoleChanged',
      'UserPasswordReset',
      'UserPasswordSet',
      'UserAlertsChanged',
      'UserRemoved',
      'UserErased',
      'UserTokenIssued',
      'UserTokenRevoked',
      'UserIdentityLinked',
      'UserIdentityUnlinked',
      'UserPasskeyAdded',
      'UserPasskeyRemoved',
      'UserRecoveryCodesIssued',
      'UserRecoveryCodeUsed',
    ],
  },
  signIns: {
    label: 'Sign-ins',
    types: ['UserSignedIn', 'UserSignedOut', 'UserSessionsEnded', 'UserSignInFailed'],
  },
  providers: {
    label: 'Identity provider',
    types: [
      'IdentityProviderAdded',
      'IdentityProviderChanged',
      'IdentityProviderSecretReplaced',
      'IdentityProviderUseChanged',
      'IdentityProviderRemoved',
    ],
  },
  company: {
    label: 'Company',
    types: [
      'CompanyRegistered',
      'CompanyTimeZoneChanged',
      'RecordsRetired',
      'PersonalDataReported',
      'AttentionRaised',
      'AttentionResolved',
    ],
  },
} as const satisfies Record<string, { label: string; types: readonly EventType[] }>

/** Finds the event types that a value of the filter stands for: a group, or one type. Null for anything else. */
export function findTypes(value: string): readonly EventType[] | null {
  if (Object.hasOwn(EVENT_GROUPS, value)) return EVENT_GROUPS[value as keyof typeof EVENT_GROUPS].types
  const types: readonly EventType[] = Object.values(EVENT_GROUPS).flatMap((group) => group.types)
  return types.includes(value as EventType) ? [value as EventType] : null
}

/** Formats the name of an event type as words: `Api key issued`. */
export function formatTypeName(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace(/^Api /, 'API ')
}
