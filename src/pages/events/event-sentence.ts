import { rulesOf } from '#domain/operations'
import type { SessionUser } from '#accounts/users/sessions'
import type { AttributeChanges, CallCounts, EventData, EventType } from '#domain/events'
import type { EventHeader } from '#ledger/integrity/codec'
import type { ListedEvent } from '#ledger/read/browse-events'
import { buildEmployeeUrl, buildUrl, NAVIGATION } from '#wording/navigation'
import { formatAttributeName, renderShortChange } from '#pages/parts/attribute-values'
import { isolate, html, type Html, renderNameLink, formatCalendarDay, renderJoined } from '#pages/parts/elements'
import { describeKind } from '#domain/attention-kinds'
import { describeCode } from '#wording/attention-words'
import { describeScopes } from '#wording/token-scopes'
import { describeDone } from '#pages/parts/call-words'
import { formatExcess, formatExpectedCalls, formatLimits } from '#pages/parts/key-words'
import { formatCount, formatNumber, wasOrWere } from '#wording/numbers'
import { formatTime } from '#domain/local-times'
import { formatFullName } from '#domain/employees/employee'
import { ENDED_BY, formatAttempts, SIGNED_IN_WITH } from '#pages/parts/sign-in-words'
import { STOPPED } from '#pages/webhooks/webhook-words'
import { accessChanges, formatMore, formatQuota, narrowings, SHOWN_CHANGES } from './access-words.ts'
import { renderCallWord } from './event-values.ts'

/** What a sentence needs to know about its reader: the pages that they may open, and their time zone. */
type SentenceViewer = Pick<SessionUser, 'role' | 'timeZone'>

/** What a sentence needs beside the event. */
export interface SentenceContext {
  viewer: SentenceViewer
  /** Current names of keys, users and employees, by id. */
  names: ReadonlyMap<string, string>
}

/** What the sentence of an event is made of: its header, its data, and its parts as words. */
interface SentenceParts<Type extends EventType> extends SentenceContext {
  header: EventHeader
  /** Null if they were erased, or are too long for a list. */
  data: EventData[Type] | null
  /** Who caused the event. */
  actor: Html
  /** What the event is about, by its current name or, if given, by another. */
  subject(name?: string): Html
}

type Tell<Type extends EventType> = (parts: SentenceParts<Type>) => Html

type Sentences = { [Type in EventType]: Tell<Type> }

/** What the data of an event tell behind what happened. */
type More<Type extends EventType> = (data: EventData[Type], context: SentenceContext) => Html | string

/** Tells what somebody did, and what more the data tell. */
function did<Type extends EventType>(what: string, more?: More<Type>): Tell<Type> {
  return (parts) => html`${parts.actor} ${what}${tellMore(parts, more)}`
}

/** Tells what somebody did to the subject, which has its present name or, if it was just made, that in the data. */
function didTo<Type extends EventType>(
  what: string,
  more?: More<Type>,
  nameIn?: (data: EventData[Type]) => string,
): Tell<Type> {
  return (parts) => {
    const { actor, data, subject } = parts
    return html`${actor} ${what} ${subject(data && nameIn ? nameIn(data) : undefined)}${tellMore(parts, more)}`
  }
}

function tellMore<Type extends EventType>(parts: SentenceParts<Type>, more: More<Type> | undefined) {
  return parts.data === null || !more ? '' : more(parts.data, parts)
}

/** Tells what somebody did with a thing of which only the data know the name. */
function didWith<Type extends EventType>(what: string, unnamed: string, more: More<Type>): Tell<Type> {
  return (parts) => html`${parts.actor} ${what} ${parts.data === null ? unnamed : more(parts.data, parts)}`
}

/** Tells what a user did to their own account, or somebody else to the account of a user. */
function didToAccount<Type extends EventType>(verb: string, own: string, of: string, end = ''): Tell<Type> {
  return (parts) => html`${parts.actor} ${verb} ${isOwn(parts) ? own : html`${of}${parts.subject()}`}${end}`
}

const showChange = (data: { from: unknown; to: unknown }, { names }: SentenceContext) =>
  html`: ${renderShortChange(data, names)}`

/** Shows the old and the new value of a setting. */
function showBoth<Value>(format: (value: Value) => string) {
  return ({ from, to }: { from: Value; to: Value }) => `: ${format(from)} → ${format(to)}`
}

const formatUntil = (time: string, { viewer }: SentenceContext) => formatTime(time, viewer.timeZone)

/** The sentence of each event type. */
const SENTENCES: Sentences = {
  EmployeeCreated: didTo('created', undefined, ({ attributes }) => formatFullName(attributes)),
  EmployeeUpdated: didTo('changed', ({ changes }, { names }) => renderChanges(changes, names)),
  EmployeeDeactivated: didTo('deactivated'),
  EmployeeReactivated: didTo('reactivated'),
  EmployeeDeprovisioned: didTo('deprovisioned'),
  EmployeeRecordRejected: ({ actor, header: { index }, data }) => {
    const [error, ...more] = data?.errors ?? []
    const others = more.length + (data?.errors_omitted ?? 0)
    const record = index === null ? 'a record' : `record ${formatNumber(index + 1)}`
    const why = error && html`: ${isolate(error.message)}`
    const further = others > 0 && ` and ${formatCount(others, 'more error')}`
    return html`${actor} sent ${record}, which was refused${why}${further}`
  },
  ApiCallCompleted: ({ actor, header, data, viewer }) =>
    html`${actor} ${data ? describeOutcome(data.counts) : 'completed a call'} ${renderCallWord(header, viewer)}`,
  ApiCallFailed: ({ actor, header, data, viewer }) =>
    html`${actor} ${data ? renderFailure(data) : 'failed in a call'} ${renderCallWord(header, viewer)}`,
  FileUploaded: didWith('uploaded', 'a file', ({ name }) => html`the file ${isolate(name)}`),
  EmployeeErased: didTo('erased', ofEvents),
  RecordsRetired: ({ actor, data }) => {
    const events = data ? formatCount(data.positions.length, 'event') : 'events'
    const why = 'because their retention period had ended'
    return html`${actor} deleted the data of ${events} (refused records and file names), ${why}`
  },
  PersonalDataReported: ({ actor, header, data, names, viewer }) => {
    const id = data?.subject_id
    const about =
      id === undefined
        ? 'a person'
        : id === null
          ? 'someone who was never created'
          : id === header.actor
            ? 'themselves'
            : renderSubject({ ...header, stream: id }, names.get(id) ?? id, names.has(id), viewer)
    return html`${actor} got a report of what is held about ${about}`
  },
  CompanyRegistered: did('registered the company', ({ name }) => html` ${isolate(name)}`),
  CompanyRenamed: did('renamed the company', showChange),
  CompanyTimeZoneChanged: did("changed the company's time zone", showChange),
  CompanyCountryChanged: did("changed the company's country", showChange),
  UserInvited: didTo(
    'invited',
    ({ email, role }) => html` (${isolate(email)}) as ${role}`,
    ({ name }) => name,
  ),
  UserRoleChanged: didTo('changed the role of', showChange),
  UserPasswordReset: didTo('reset the password of'),
  UserPasswordSet: didToAccount('set', 'their password', 'the password of '),
  UserAlertsChanged: ({ actor, data }) =>
    html`${actor} ${data?.to === false ? 'stopped' : 'asked for'} alerts by email`,
  AttentionRaised: ({ data, names }) => html`${nameOf(data, names)} began to need attention${ofAttention(data)}`,
  AttentionResolved: ({ data, names }) => html`${nameOf(data, names)} stopped needing attention${ofAttention(data)}`,
  AttentionSnoozed: ({ actor, data, names }) => {
    if (data === null) return html`${actor} snoozed a problem`
    const what = html`${nameOf(data, names)}${ofAttention(data)}`
    if (data.until === null) return html`${actor} ended the snooze of ${what}`
    return html`${actor} snoozed ${what}, until ${formatCalendarDay(data.until)}: ${isolate(data.reason)}`
  },
  UserRemoved: didTo('removed user'),
  UserErased: didTo('erased user', ofEvents),
  UserTokenIssued: (parts) => {
    const { actor, subject, data } = parts
    const token = data
      ? html`token ${emphasize(data.name)}${ofScopes(data)}, until ${formatUntil(data.expires_at, parts)}`
      : 'a token'
    return html`${actor} issued ${token}${!isOwn(parts) && html` for ${subject()}`}`
  },
  UserTokenRevoked: didToAccount('revoked', 'one of their tokens', 'a token of '),
  UserIdentityLinked: didToAccount('linked', 'their user', '', ' to an account at the identity provider'),
  UserIdentityUnlinked: didToAccount('unlinked', 'their user', '', ' from the account at the identity provider'),
  UserPasskeyAdded: didWith('added', 'a passkey', ({ name }) => html`passkey ${emphasize(name)}`),
  UserPasskeyRemoved: didToAccount('removed', 'one of their passkeys', 'a passkey of '),
  UserRecoveryCodesIssued: didWith('made', 'new recovery codes', ({ count }) =>
    formatCount(count, 'new recovery code'),
  ),
  UserRecoveryCodeUsed: did('used a recovery code', ({ remaining }) => `; ${formatCount(remaining, 'code')} left`),
  UserSignedIn: did('signed in', ({ method }) => ` ${SIGNED_IN_WITH[method]}`),
  UserSignedOut: did('signed out'),
  UserSessionsEnded: (told) => {
    const { actor, subject, data } = told
    const [sessions, how] = data ? [formatCount(data.count, 'session'), ` ${ENDED_BY[data.reason]}`] : ['sessions', '']
    return html`${actor} ended ${sessions} of ${isOwn(told) ? 'their own' : subject()}${how}`
  },
  UserSignInFailed: (told) => {
    const { subject, data } = told
    const when = data && ` ${formatAttempts(data.attempts)} in the hour from ${formatUntil(data.hour, told)}`
    return html`Signing in as ${subject()} failed${when}`
  },
  ApiKeyIssued: didTo(
    'issued key',
    (data, { viewer }) =>
      ` ${[`with a quota of ${formatQuota(data)}`, ...narrowings(data, viewer.timeZone)].join(', ')}`,
    ({ name }) => name,
  ),
  ApiKeyRenamed: ({ actor, subject, data }) =>
    html`${actor} renamed key ${data ? html`${emphasize(data.from)} to ${emphasize(data.to)}` : subject()}`,
  ApiKeyQuotaChanged: didTo('changed the quota of key', showBoth(formatQuota)),
  ApiKeyAccessChanged: didTo('changed the access of key', ({ from, to }, { viewer }) => {
    const changes = accessChanges(from, to, viewer.timeZone)
    return changes.length === 0 ? '' : `: ${changes.join('; ')}`
  }),
  ApiKeyExpectedCallsChanged: ({ actor, subject, data }) =>
    html`${actor} changed when calls of key ${subject()} are expected${data && showBoth(formatExpectedCalls)(data)}`,
  ApiKeyLimitsChanged: didTo('changed the daily limits of key', showBoth(formatLimits)),
  ApiKeyExcessAllowed: didTo(
    'allowed key',
    (data, told) => ` ${formatExcess(data)} until ${formatUntil(data.until, told)}`,
  ),
  ApiKeyRotated: didTo('rotated the secret of key', ({ previous_expires_at: end }, told) =>
    end ? `; the old one works until ${formatUntil(end, told)}` : '; the old one stopped at once',
  ),
  ApiKeyDisabled: didTo('disabled key'),
  ApiKeyEnabled: didTo('enabled key'),
  ApiKeyRevoked: didTo('revoked key'),
  WebhookCreated: didTo(
    'created webhook',
    ({ description, url }) => (description ? html` to ${isolate(url)}` : ''),
    ({ description, url }) => description || url,
  ),
  WebhookChanged: didTo('changed webhook', ({ to }) => `: ${AND.format(Object.keys(to).map(nameSetting))}`),
  WebhookSecretRotated: didTo('rotated the secret of webhook', ({ previous_expires_at: end }, told) =>
    end ? `; messages carry the old signature too until ${formatUntil(end, told)}` : '',
  ),
  WebhookPaused: didTo('paused webhook'),
  WebhookResumed: didTo('resumed webhook', ({ position }) => ` after position ${formatNumber(position)}`),
  WebhookDisabled: ({ subject, data }) =>
    html`Deliveries to webhook ${subject()} were stopped${data && `: ${STOPPED[data.reason]}`}`,
  WebhookRemoved: didTo('removed webhook'),
  IdentityProviderAdded: didTo(
    'set up identity provider',
    ({ issuer }) => html` at ${isolate(issuer)}`,
    ({ name }) => name,
  ),
  IdentityProviderChanged: didTo(
    'changed the settings of identity provider',
    ({ to }) => `: ${Object.keys(to).join(', ')}`,
  ),
  IdentityProviderSecretReplaced: didTo('replaced the secret for identity provider'),
  IdentityProviderUseChanged: didTo(
    'changed the use of identity provider',
    ({ from, to }) => ` from ${from.use} to ${to.use}`,
  ),
  IdentityProviderRemoved: didTo('removed identity provider'),
}

function emphasize(name: string) {
  return html`<em>${isolate(name)}</em>`
}

/** Renders an event as a sentence: who did what to whom. */
export function renderSentence(event: ListedEvent, context: SentenceContext) {
  const { header, isErased } = event
  if (!header) return html`This version of the service can't read this event.`
  const { names, viewer } = context
  const tell = SENTENCES[header.type] as (parts: SentenceParts<EventType>) => Html
  const parts = {
    ...context,
    header,
    actor: renderActorLink(header.actor, names),
    subject: (name?: string) =>
      renderSubject(header, name ?? names.get(header.stream) ?? header.stream, names.has(header.stream), viewer),
  }
  const end = isErased ? html` <span class="hint">(data erased)</span>` : ''
  try {
    return html`${tell({ ...parts, data: parseData(event) })}${end}`
  } catch {
    // The stored data are not what this type has. The event's page shows them.
    return html`${tell({ ...parts, data: null })} <span class="hint">(unreadable data)</span>`
  }
}

/** Lists the ids in an event whose names its sentence shows. */
export function listNamedIds({ header, summary }: ListedEvent) {
  if (!header) return []
  return [header.actor, header.stream, ...(NAMING.has(header.type) ? (summary?.match(NAMED_ID) ?? []) : [])]
}

/** Types whose data have ids that sentences show: of managers, of whoever a report is about, of keys and webhooks. */
const NAMING: ReadonlySet<EventType> = new Set([
  'EmployeeUpdated',
  'PersonalDataReported',
  'AttentionRaised',
  'AttentionResolved',
  'AttentionSnoozed',
])
const NAMED_ID = /(?<=")(?:emp|usr|key|whk|idp)_[0-9a-z]{26}(?=")/g

function parseData({ summary }: ListedEvent) {
  return summary === null ? null : (JSON.parse(summary) as EventData[EventType])
}

/** Renders who caused an event, with a link to everything that they did. */
export function renderActorLink(actor: string, names: ReadonlyMap<string, string>) {
  const href = buildUrl(NAVIGATION.events.path, { actor })
  return html`<a class="actor" href="${href}">${isolate(formatActor(actor, names))}</a>`
}

/** Formats who caused an event: a name, or an id if there is none. */
export function formatActor(actor: string, names: ReadonlyMap<string, string>) {
  return WITHOUT_ID[actor] ?? names.get(actor) ?? actor
}

/** Those who cause events without an id of their own. */
export const WITHOUT_ID: Readonly<Record<string, string>> = { operator: 'The command line', schedule: 'The schedule' }

const AND = new Intl.ListFormat('en-GB')

const SETTING_WORDS: Record<string, string> = {
  url: 'URL',
  types: 'message types',
  include_data: 'what messages contain',
  concurrency: 'messages at once',
}

function nameSetting(name: string) {
  return SETTING_WORDS[name] ?? name
}

/** Renders what an event is about. `exists` says whether it has a page: what was removed has none. */
function renderSubject({ stream, position }: EventHeader, name: string, exists: boolean, { role }: SentenceViewer) {
  if (stream.startsWith('emp_')) return renderNameLink(buildEmployeeUrl(stream, position), name)
  const [prefix] = stream.split('_', 1)
  const page = prefix === 'idp' ? NAVIGATION.signIn.path : `${findItem(prefix).path}/${stream}`
  const hasPage = exists || (prefix !== 'idp' && prefix !== 'whk')
  // Only administrators may open the pages of keys, webhooks, providers and users.
  const href = role === 'admin' && hasPage ? page : buildUrl(NAVIGATION.events.path, { id: stream })
  return html`<a href="${href}">${prefix === 'usr' ? isolate(name) : emphasize(name)}</a>`
}

function findItem(prefix: string | undefined) {
  return prefix === 'key' ? NAVIGATION.apiKeys : prefix === 'whk' ? NAVIGATION.webhooks : NAVIGATION.users
}

function renderChanges(changes: AttributeChanges, names: ReadonlyMap<string, string>) {
  const all = Object.entries(changes).map(
    ([name, change]) => html`${isolate(formatAttributeName(name))}: ${renderShortChange(change, names)}`,
  )
  return html`: ${renderJoined(all.slice(0, SHOWN_CHANGES), '; ')}${formatMore(all.length - SHOWN_CHANGES)}`
}

function renderFailure({ operation, counts: { total }, detail }: EventData['ApiCallFailed']) {
  const employees = total === 0 ? 'employees' : formatCount(total, 'employee')
  return html`failed to ${rulesOf(operation).verb} ${employees}: ${isolate(detail)}`
}

function describeOutcome(counts: CallCounts) {
  const { total, failed, no_updates: same } = counts
  const done = describeDone(counts)
  const refused = failed > 0 ? `; ${formatCount(failed, 'record')} ${wasOrWere(failed)} refused` : ''
  if (done === null) return `sent ${formatCount(total, 'employee')}; nothing changed${refused}`
  return `${done}${same > 0 ? `; ${formatNumber(same)} had no changes` : ''}${refused}`
}

/** Names what needs attention: work of the service has no name. */
function nameOf(data: EventData['AttentionRaised'] | null, names: ReadonlyMap<string, string>) {
  const name = data === null ? undefined : names.get(data.subject_id)
  return name === undefined ? html`Something` : emphasize(name)
}

/** Says what is wrong. */
function ofAttention(data: EventData['AttentionRaised'] | null) {
  if (data === null) return ''
  return `: ${describeKind(data.kind)}${data.code === undefined ? '' : ` (${describeCode(data.code)})`}`
}

function ofEvents({ positions }: { positions: readonly number[] }) {
  return `: the data of ${formatCount(positions.length, 'event')}`
}

function ofScopes({ scope, scopes = scope && [scope] }: EventData['UserTokenIssued']) {
  return scopes === undefined ? '' : ` that lets a program ${describeScopes(scopes)}`
}

/** Whether a user did this to their own account. */
function isOwn({ header }: { header: EventHeader }) {
  return header.actor === header.stream
}
