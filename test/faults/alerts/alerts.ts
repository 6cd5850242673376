import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import { inviteCompanyUser } from '../../../src/accounts/users/change-user.ts'
import { changeAlerts } from '../../../src/accounts/attention/snooze.ts'
import { checkCompany, tellUsers } from '../../../src/accounts/attention/check-attention.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { CHECK_ATTENTION } from '../../../src/workers/queues.ts'
import { OPERATOR } from '../../../src/ledger/append/append-company-events.ts'
import { createSecretBox } from '../../../src/accounts/secrets/secret-box.ts'
import type { Happened, LoadUnder } from '../fault.ts'
import { alertFaults } from '../oracle/alert-faults.ts'
import { SECRETS_KEY } from '../program.ts'
import type { Stage } from '../stage.ts'
import { urlsNow } from '../cluster.ts'
import { issueExpiringKeys, LATE_MS, setExpiry, SOON_MS, untilDone, type ExpiringKey } from './expiring-keys.ts'
import { sendJob } from '../../support/send-job.ts'
import { earlier } from '../../support/postgres/move-back.ts'

/** A company in which problems begin and end, and two administrators want to be told. */
export interface AlertedCompany {
  companyId: string
  /** The address of each administrator. */
  people: { userId: string; email: string }[]
  /** Each has an expiry date from its beginning to its end, which need attention at most once. */
  keys: ExpiringKey[]
}

const PEOPLE = 2
const KEYS = 8
/** Between two changes, so that some checks find one change, some several, and some none. */
const REST_AT_MOST_MS = 400
const MAIL_DOWN_AT_MOST_MS = 1_000

/**
 * Problems begin and end while workers and PostgreSQL are killed, and while the mail server is down, slow, or refuses. In
 * the end, the oracle compares what people were sent with the ledger.
 */
export async function alertUnderKills(stage: Stage, random: SeededRandom, load: LoadUnder): Promise<Happened> {
  const mail = stage.mail!
  const company = await makeAlerted(stage, load.companyIds[0]!)
  mail.disturb(random)
  const begun = new Set<string>()
  // The first time that a key comes up, its problem begins, and the second time, it ends. That of the last key lasts.
  const turns = [...company.keys, ...company.keys.slice(0, -1)]
  const kills = random.sample(
    [
      () => random.pick(stage.workers).restart('SIGKILL'),
      () => random.pick(stage.workers).restart('SIGKILL'),
      () => stage.cluster.kill(random.chance(0.5) ? 'SIGQUIT' : 'SIGKILL').then(stage.cluster.start),
      () => mail.stopFor(random.below(MAIL_DOWN_AT_MOST_MS)),
    ],
    4,
  )
  for (const [at, { id }] of random.sample(turns, turns.length).entries()) {
    const kill = at % 4 === 3 ? kills[(at - 3) / 4]?.() : undefined
    await setExpiry(stage, company.companyId, id, begun.has(id) ? LATE_MS : SOON_MS)
    begun.add(id)
    await checkOnce(stage, company, random).catch(() => undefined)
    await pause(random.below(REST_AT_MOST_MS))
    await kill
  }
  mail.recover()
  await settle(stage, company)
  return {
    times: kills.length,
    wrong: await stage.withDatabase((db) => alertFaults(db, company, mail.accepted)),
  }
}

async function makeAlerted(stage: Stage, companyId: string): Promise<AlertedCompany> {
  const company: AlertedCompany = { companyId, people: [], keys: await issueExpiringKeys(stage, companyId, KEYS) }
  await stage.withServices(async (services) => {
    for (let at = 0; at < PEOPLE; at += 1) {
      const person = { name: 'Alerted', role: 'admin', email: `${services.newId('usr')}@example.com` } as const
      const { user } = await inviteCompanyUser(services, { companyId, actor: OPERATOR }, person)
      await changeAlerts(services, { companyId, actor: user.id }, true)
      company.people.push({ userId: user.id, email: person.email })
    }
  })
  return company
}

/** Checks in a worker and in this process at once, as if 15 minutes had passed for some people. */
async function checkOnce(stage: Stage, { companyId }: AlertedCompany, random: SeededRandom): Promise<void> {
  const outbox = {
    publicUrl: 'http://127.0.0.1/',
    secrets: createSecretBox([SECRETS_KEY]),
    announce: () => undefined,
  }
  await sendJob(urlsNow(stage.cluster).serviceUrl, CHECK_ATTENTION)
  if (random.chance(0.5)) await passTime(stage, companyId)
  await stage.withServices(async (services) => {
    await checkCompany(services, companyId)
    await tellUsers(services.pool, services.db, outbox, companyId)
  })
}

/** Nobody was told in the last 15 minutes, and each message that waits is due. */
async function passTime(stage: Stage, companyId: string): Promise<void> {
  await stage.withDatabase(async (db) => {
    const toldAt = earlier('told_at', "interval '15 minutes'")
    const [dueAt, leasedUntil] = ['due_at', 'leased_until'].map((column) => earlier(column, "interval '1 hour'"))
    const company = `company_id = '${toUuid(companyId)}'`
    await sql.raw(`update users set told_at = ${toldAt} where ${company}`).execute(db)
    await sql
      .raw(`update emails set due_at = ${dueAt}, leased_until = ${leasedUntil} where ${company} and ended_at is null`)
      .execute(db)
  })
}

/** Waits until everybody was told of everything, and no message is under way. */
async function settle(stage: Stage, company: AlertedCompany): Promise<void> {
  for (const part of [...stage.apis, ...stage.workers]) await part.ready()
  const noChances: SeededRandom = {
    below: () => 0,
    chance: () => true,
    pick: ([first]) => first!,
    sample: (all) => [...all],
  }
  await untilDone(async () => {
    await checkOnce(stage, company, noChances)
    const { rows } = await stage.withDatabase((db) =>
      sql<{ waiting: number }>`select
          (select count(*)::integer from emails where company_id = ${toUuid(company.companyId)} and ended_at is null)
          + (select count(*)::integer from users u where u.company_id = ${toUuid(company.companyId)} and wants_alerts
              and told_position < (select max(position) from events e where e.company_id = u.company_id
                and type in ('AttentionRaised', 'AttentionResolved'))) as waiting`.execute(db),
    )
    if (rows[0]!.waiting > 0) throw new Error(`${rows[0]!.waiting} messages or people wait`)
  })
}
