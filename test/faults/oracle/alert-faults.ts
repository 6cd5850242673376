import { sql } from 'kysely'
import { toUuid } from '../../../src/domain/ids.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import type { AlertedCompany } from '../alerts/alerts.ts'
import type { AcceptedEmail } from '../alerts/unreliable-mail.ts'
import type { Finding } from './finding.ts'

/* What the oracle expects of alerts: what people were sent, compared with the ledger. */

/** The line of a message that tells a change of a key. */
const LINE = /^(Began|Ended): \u2068?(.+?)\u2069?: (?:expires |the key will expire soon)/

/**
 * Each key's problem began once, and ended once unless it lasts; what is stored as raised is what lasts; and each
 * administrator was sent each change exactly once. A message whose sender was killed may be missing, if its row says that
 * the outcome is unknown.
 */
export async function alertFaults(
  db: LedgerDb,
  { companyId, people, keys }: AlertedCompany,
  accepted: readonly AcceptedEmail[],
): Promise<Finding[]> {
  const company = toUuid(companyId)
  const { rows: events } = await sql<{ type: string; key: string }>`
    select type, data::jsonb ->> 'subject_id' as key from events
    where company_id = ${company} and type in ('AttentionRaised', 'AttentionResolved')
      and data::jsonb ->> 'kind' = 'key_expiring' order by position`.execute(db)
  const { rows: raised } = await sql<{ key: string }>`
    select item -> 'subject' ->> 'id' as key from raised_attention
    where company_id = ${company} and item ->> 'kind' = 'key_expiring'`.execute(db)
  const { rows: emails } = await sql<{ email_id: string; email: string; state: string }>`
    select e.email_id, u.email, e.state from emails e join users u using (company_id, user_id)
    where company_id = ${company} order by e.created_at, e.email_id`.execute(db)
  return [
    ...ledgerFaults(events, keys),
    ...raisedFaults(
      raised.map(({ key }) => key),
      keys,
    ),
    ...emailFaults(emails, accepted),
    ...people.flatMap(({ email }) =>
      lineFaults(email, toLines(events, keys), {
        accepted: accepted.filter(({ to }) => to === email),
        hasUnknown: emails.some((row) => row.email === email && row.state === 'unknown'),
      }),
    ),
  ]
}

/** A key that is looked at too seldom may begin and end unnoticed. */
function ledgerFaults(events: { type: string; key: string }[], keys: AlertedCompany['keys']): Finding[] {
  return keys.flatMap(({ id, name }): Finding[] => {
    const types = events.filter(({ key }) => key === id).map(({ type }) => type)
    const lasts = id === keys.at(-1)!.id
    const text = types.join(', ')
    if (lasts ? text === 'AttentionRaised' : ['', 'AttentionRaised, AttentionResolved'].includes(text)) return []
    const kind = types.length > 2 ? 'doubled alert' : 'lost alert'
    return [{ kind, text: `${name}: its events are ${text || 'none'}` }]
  })
}

function raisedFaults(raised: string[], keys: AlertedCompany['keys']): Finding[] {
  const lasting = [keys.at(-1)!.id]
  return raised.join() === lasting.join()
    ? []
    : [{ kind: 'wrong alert', text: `raised is ${raised.join() || 'nothing'}, and ${lasting.join()} lasts` }]
}

function emailFaults(
  emails: { email_id: string; email: string; state: string }[],
  accepted: readonly AcceptedEmail[],
): Finding[] {
  return emails.flatMap(({ email_id: id, state }): Finding[] => {
    const times = accepted.filter(({ emailId }) => emailId === id).length
    if (times > 1) return [{ kind: 'doubled alert', text: `message ${id} (${state}) was accepted ${times} times` }]
    if (state === 'sent' && times === 0)
      return [{ kind: 'lost alert', text: `message ${id} is sent and never arrived` }]
    return ['sent', 'unknown'].includes(state) ? [] : [{ kind: 'lost alert', text: `message ${id} is ${state}` }]
  })
}

function toLines(events: { type: string; key: string }[], keys: AlertedCompany['keys']): string[] {
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  return events.map(({ type, key }) => `${type === 'AttentionRaised' ? 'Began' : 'Ended'} ${names.get(key)}`)
}

function lineFaults(
  person: string,
  expected: string[],
  { accepted, hasUnknown }: { accepted: AcceptedEmail[]; hasUnknown: boolean },
): Finding[] {
  const received = accepted.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const [, change, name] = LINE.exec(line) ?? []
      return change === undefined ? [] : [`${change} ${name}`]
    }),
  )
  const counts = new Map(expected.map((line) => [line, received.filter((one) => one === line).length]))
  const findings = [...counts].flatMap(([line, count]): Finding[] => {
    if (count > 1) return [{ kind: 'doubled alert', text: `${person} was told ${count} times: ${line}` }]
    return count === 0 && !hasUnknown ? [{ kind: 'lost alert', text: `${person} was never told: ${line}` }] : []
  })
  const strange = received.filter((line) => !counts.has(line))
  return [
    ...findings,
    ...strange.map((line): Finding => ({ kind: 'wrong alert', text: `${person} was told: ${line}` })),
  ]
}
