import { EVENT_TYPES, isEventType, type StreamPrefix } from '#domain/event-types'
import type { EventType } from '#domain/events'

type Group = keyof typeof LABELS

const LABELS = {
  calls: 'Calls',
  employees: 'Employees',
  keys: 'API keys',
  webhooks: 'Webhooks',
  users: 'Users',
  signIns: 'Sign-ins',
  providers: 'Identity provider',
  company: 'Company',
}

const OF_STREAM: Record<StreamPrefix, Group> = {
  log: 'calls',
  emp: 'employees',
  key: 'keys',
  whk: 'webhooks',
  usr: 'users',
  idp: 'providers',
  com: 'company',
}

const SIGN_INS: readonly EventType[] = ['UserSignedIn', 'UserSignedOut', 'UserSessionsEnded', 'UserSignInFailed']

function findGroup(type: EventType) {
  return SIGN_INS.includes(type) ? 'signIns' : OF_STREAM[EVENT_TYPES[type].stream]
}

/** The groups of event types that the event stream can be narrowed to. Each type is in one of them. */
export const EVENT_GROUPS: Readonly<Record<string, { label: string; types: readonly EventType[] }>> =
  Object.fromEntries(
    Object.entries(LABELS).map(([group, label]) => {
      const types = Object.keys(EVENT_TYPES).filter(isEventType)
      return [group, { label, types: types.filter((type) => findGroup(type) === group) }]
    }),
  )

/** Finds the event types that a value of the filter stands for: a group, or one type. Null for anything else. */
export function findTypes(value: string) {
  if (Object.hasOwn(EVENT_GROUPS, value)) return EVENT_GROUPS[value]!.types
  return isEventType(value) ? [value] : null
}

/** Formats the name of an event type as words: `Api key issued`. */
export function formatTypeName(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.replace(/^Api /, 'API ')
}
