import { formatTime } from '#domain/local-times'
import { wordLimited } from '#domain/accounts/key-limits'
import { groupProblems, RECORD_CODES, type AttentionItem } from '#domain/attention'
import { type AttentionKind, BACKGROUND_WORK } from '#domain/attention-kinds'
import type { ProblemCode } from '#domain/errors'
import { buildUrl, NAVIGATION, nameList, REFUSALS } from './navigation.ts'
import {
  decapitalize,
  formatAtLeast,
  formatCount,
  formatNumber,
  wasOrWere,
  formatAge,
  formatLength,
} from './numbers.ts'

/* What pages and emails say of what needs attention, and where they lead. */

/** Where an administrator mends what is wrong. */
const PAGES = {
  ledger_disputed: 'health',
  ledger_unsigned: 'ledger',
  projection_parked: 'health',
  provider_failing: 'signIn',
  webhook_disabled: 'webhooks',
  webhook_failing: 'webhooks',
  quota_used: 'apiKeys',
  key_limit_reached: 'apiKeys',
  key_deactivated_many: 'apiKeys',
  fields_overwritten: 'apiKeys',
  key_expired: 'apiKeys',
  call_missing: 'apiKeys',
  calls_turned_away: 'apiKeys',
  calls_failed: 'bulkUserLogs',
  records_refused: 'bulkUserLogs',
  work_failing: 'health',
  quota_nearly_used: 'apiKeys',
  key_expiring: 'apiKeys',
  key_unused: 'apiKeys',
} satisfies Record<AttentionKind, keyof typeof NAVIGATION>

/** What an administrator mends on the pages of API keys. */
export type KeyAttention = {
  [Kind in AttentionKind]: (typeof PAGES)[Kind] extends 'apiKeys' ? Kind : never
}[AttentionKind]

/** Counts the problems that need attention, by the path of the navigation item under which it can be mended. */
export function countByPath(items: readonly AttentionItem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [item] of groupProblems(items)) {
    const { path } = NAVIGATION[PAGES[item!.kind]]
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return counts
}

/** Names what needs attention. */
export function nameSubject({ kind, subject }: Pick<AttentionItem, 'kind' | 'subject'>): string {
  return kind === 'projection_parked' ? nameList(subject.id) : subject.name
}

/** Counts calls: `1 call`, `10,000+ calls`. */
function countCalls(calls: number, isMore: boolean) {
  return isMore ? `${formatAtLeast(calls, true)} calls` : formatCount(calls, 'call')
}

/** Says what calls cost, by which they are ordered: `26,756 records in 1,630 calls`. */
export function countCost({ calls, records, is_more: isMore }: Cost): string {
  if (records === 0) return countCalls(calls, isMore)
  const noun = records === 1 && !isMore ? 'record' : 'records'
  return `${formatAtLeast(records, isMore)} ${noun} in ${countCalls(calls, isMore)}`
}

type Cost = { calls: number; records: number; is_more: boolean }

/** Says what to do about calls that failed with a code. */
export function remedyOf(code: string): string {
  // Until it resets, the problem is that it is used up.
  if (code === 'quota_exceeded') return 'The quota has been reset since. Raise it if that happens often.'
  return RECORD_CODES.includes(code as ProblemCode)
    ? 'Correct the records and send them again.'
    : 'Check the program that makes these calls.'
}

/** Builds the path of the page on which an administrator sees or mends what is wrong. */
export function buildItemUrl({ kind, subject, details }: AttentionItem): string {
  const { path } = NAVIGATION[PAGES[kind]]
  if (kind === 'calls_failed') {
    if (details.calls === 1) return `${path}/${details.last_log_id}`
    if (!RECORD_CODES.includes(details.code as ProblemCode))
      return buildUrl(path, { key: subject.id, error: details.code })
    return buildUrl(REFUSALS.path, { key: subject.id })
  }
  if (kind === 'records_refused')
    return details.calls === 1 ? `${path}/${details.last_log_id}` : buildUrl(REFUSALS.path, { key: subject.id })
  return PAGES[kind] === 'apiKeys' || PAGES[kind] === 'webhooks' ? `${path}/${subject.id}` : path
}

/** What is said of something that needs attention. */
interface ItemWords {
  /** What is wrong, as the rest of a sentence that begins with its name and a colon, without its period. */
  problem: string
  /** What to do, as sentences. */
  remedy: string
}

interface Reader {
  /** Writes an instant in the time zone of the reader. */
  time(instant: string): string
  nowMs: number
}

const TELL_OPERATOR = 'Tell the operator of the service, and keep your checkpoints.'

const ITEM_WORDS: { [Kind in AttentionKind]: (item: AttentionItem<Kind>, reader: Reader) => ItemWords } = {
  calls_failed: ({ details }) => ({
    problem: `${countCost(details)} failed since yesterday: ${describeCode(details.code)}`,
    remedy: remedyOf(details.code),
  }),
  records_refused({ details: { records, total, calls, is_more: isMore } }) {
    const refused = `${formatAtLeast(records, isMore)} of ${formatCount(total, 'record')}`
    const of = calls === 1 ? '' : ` in ${formatCount(calls, 'call')}`
    return {
      problem: `${refused} ${wasOrWere(records)} refused${of} since yesterday; the others were applied`,
      remedy: 'Correct the records and send them again.',
    }
  },
  calls_turned_away({ details: { reason, calls, address, ended_at: ended } }, { time }) {
    const { what, end, remedy } = TURNED_AWAY[reason]
    const from = address === null ? '' : `, ${calls === 1 ? '' : 'the last '}from ${address}`
    const when = ended === null ? '' : `; it ${end} ${time(ended)}`
    return { problem: `${formatCount(calls, 'call')} ${what} since yesterday${from}${when}`, remedy }
  },
  call_missing({ details: { expected_by: by, last_call_at: last } }, { time }) {
    const before = last === null ? 'It has never made one' : `The last one came ${time(last)}`
    return { problem: `no call came by ${time(by)}`, remedy: `${before}. Check the program that should send it.` }
  },
  webhook_failing({ details: { error }, since }, { nowMs }) {
    const why = error === null ? '' : `: ${decapitalize(error)}`
    return {
      problem: `has failed for ${formatLength(nowMs - Date.parse(since!))}${why}`,
      remedy: 'Check the receiver. Messages wait, and are sent when it answers again.',
    }
  },
  webhook_disabled: ({ details: { reason } }) => ({
    problem:
      reason === 'gone'
        ? 'was disabled because the receiver answered 410 Gone'
        : 'was disabled after three days of failures',
    remedy: 'Check the receiver, and then resume the webhook.',
  }),
  quota_used: ({ details }, { nowMs }) => ({
    problem: `${countUsed(details)}${details.calls > 0 ? `; ${countCost(details)} failed since yesterday` : ''}`,
    remedy:
      `Calls are refused until the quota resets, ${untilReset(details, nowMs)}. ` +
      'Raise the quota to allow them now.',
  }),
  quota_nearly_used: ({ details }, { nowMs }) => ({
    problem: countUsed(details),
    remedy: `The quota resets ${untilReset(details, nowMs)}. Raise it if that is too late.`,
  }),
  key_limit_reached({ details: { limited, wanted, done, limit, active } }) {
    const { verb, done: past } = wordLimited(limited)
    const of = `${formatNumber(wanted)} ${done > 0 ? 'more ' : ''}of ${formatNumber(active)} people`
    const before = done > 0 ? ` It had ${past} ${formatNumber(done)} that day.` : ''
    return {
      problem: `wanted to ${verb} ${of}; nothing was applied`,
      remedy: `It may ${verb} ${formatNumber(limit)} a day.${before} If the data is right, allow it once,
        and send the call again.`,
    }
  },
  key_deactivated_many: ({ details, since }, { time }) => {
    const [deactivated, active] = [details.deactivations, details.active].map(formatNumber)
    return {
      problem: `deactivated ${deactivated} of ${active} people on the day of ${time(since!)}`,
      remedy: 'Check whether these people have left. A daily limit for the key would prevent more.',
    }
  },
  fields_overwritten: ({ details: { other_key: other, fields, people } }) => ({
    problem:
      `the key and ${other?.name ?? 'files or pages of users'} overwrote each other's ` +
      `${fields.join(', ')} for ${formatAtLeast(people, true)} people in the last week`,
    remedy: "Decide which of them is right, and remove these fields from the other's key, under “Fields it may write”.",
  }),
  key_expired: ({ details }, { time }) => ({
    problem: `expired ${time(details.expires_at)}`,
    remedy: 'Change its expiry if it is still needed, or revoke it.',
  }),
  key_expiring: ({ details }, { time }) => ({
    problem: `expires ${time(details.expires_at)}`,
    remedy: 'Change its expiry, or replace it before then.',
  }),
  key_unused: ({ details }, { time }) => ({
    problem: `has made no call since it was issued ${time(details.created_at)}`,
    remedy: 'Give it to the program that should use it, or revoke it.',
  }),
  provider_failing: ({ since }, { time }) => ({
    problem: `nobody can sign in through it since ${time(since!)}`,
    remedy: 'Check its settings here and at the provider.',
  }),
  ledger_disputed: ({ details, since }, { time }) => ({
    problem: `has disputed the ledger since ${time(since!)} (${details.error})`,
    remedy: TELL_OPERATOR,
  }),
  ledger_unsigned: ({ details, since }, { time }) => ({
    problem: `nothing has been signed since ${time(since!)} (${details.error})`,
    remedy: TELL_OPERATOR,
  }),
  work_failing: ({ details, since }, { time }) => ({
    problem: `the service can't ${BACKGROUND_WORK[details.work]} since ${time(since!)}`,
    remedy: 'It keeps trying. Tell the operator of the service.',
  }),
  projection_parked: ({ details }) => ({
    problem: `has stopped before event ${formatNumber(details.position + 1)}`,
    remedy: 'Pages show the data up to there. Tell the operator of the service.',
  }),
}

/** What is said of calls that a secret did not let in, by why it did not. */
const TURNED_AWAY = {
  former_secret: { what: 'with its former secret', end: 'was replaced', remedy: 'Give the program the new secret.' },
  expired: {
    what: 'after it expired',
    end: 'expired',
    remedy: 'Change its expiry if it is still needed, or stop the program.',
  },
  revoked: { what: 'after it was revoked', end: 'ended', remedy: 'Give the program another key, or stop it.' },
} as const satisfies Record<AttentionItem<'calls_turned_away'>['details']['reason'], object>

type Quota = AttentionItem<'quota_nearly_used'>['details']

function countUsed({ requests_made: made, quota_limit: limit }: Quota) {
  return `${formatNumber(made)} of ${formatNumber(limit)} calls are used`
}

function untilReset({ resets_at: resetsAt }: Quota, nowMs: number) {
  return formatAge(Date.parse(resetsAt), nowMs)
}

/** Says what is wrong, as the rest of a sentence without its period, and what to do, as a sentence. */
export function describeItem<Kind extends AttentionKind>(
  item: AttentionItem<Kind>,
  timeZone: string,
  nowMs: number,
): ItemWords {
  return ITEM_WORDS[item.kind](item, { time: (instant) => formatTime(instant, timeZone), nowMs })
}

/** Why calls fail, in a few words, by their error code. */
const CAUSES: Partial<Record<ProblemCode, string>> = {
  malformed_json: 'body is not JSON',
  invalid_body: 'body has the wrong structure',
  invalid_query: 'query parameter is not valid',
  idempotency_key_invalid: 'idempotency key is not valid',
  key_disabled: 'key is disabled',
  address_not_allowed: 'address is not allowed',
  scope_missing: 'key may not do this',
  employee_not_found: 'no such employee',
  already_exists: 'employee already exists',
  inactive_employee_exists: 'inactive employee exists',
  former_name: 'former identifier',
  precondition_failed: 'condition does not hold',
  payload_too_large: 'body is too large',
  batch_too_large: 'too many records',
  unsupported_media_type: 'body is not sent as JSON',
  validation_failed: 'records are not valid',
  empty_batch: 'no records',
  idempotency_key_reused: 'idempotency key was used before',
  limit_reached: 'daily limit of the key',
  quota_exceeded: 'quota is used up',
  internal_error: 'error of this service',
}

/** Says in a few words why a call failed. A code without words stands for itself. */
export function describeCode(code: string): string {
  return CAUSES[code as ProblemCode] ?? code.replaceAll('_', ' ')
}
