import { setTimeout as pause } from 'node:timers/promises'
import { utils, write } from '@e965/xlsx'
import { checkCompany } from '../../src/accounts/attention/check-attention.ts'
import { addUser } from '../../src/accounts/users/change-user.ts'
import { seededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { AlertedCompany } from './alerts/alerts.ts'
import { issueExpiringKeys, LATE_MS, setExpiry, SOON_MS, untilDone } from './alerts/expiring-keys.ts'
import type { Finding } from './oracle/finding.ts'
import { findings } from './oracle/finding.ts'
import type { Stage } from './stage.ts'
import type { LoadedCompany } from './workload.ts'

/*
 * The administrator of a company of its own works during a fault: uploads the staff list as a workbook, again and again,
 * with rows that are refused or without those who have left, takes some of the files back, fetches evidence of it, and is alerted of keys that expire.
 * Every step is repeated until it has a definite answer, as a person does, so what must come of it is known exactly.
 */

/** What must be stored of a person in the files, by their external id. */
interface ListedPerson {
  job: string
  hasEmail: boolean
  isActive: boolean
}

/** What the administrator was told, for the oracle. */
export interface Administered extends AlertedCompany {
  listed: ReadonlyMap<string, ListedPerson>
  /** The ids of the calls that the uploads say they became. */
  logIds: readonly string[]
  /** Evidence files of the last few calls, complete. */
  evidence: readonly Buffer[]
}

export interface Administrator {
  administered: Administered
  /** Ends the work after the current file. Resolves with what was wrong in the answers. */
  end(): Promise<Finding[]>
}

/** A new list, rows that are refused, and people who have left. */
const ROUNDS_AT_LEAST = 3
const HEADER = ['Personalnummer', 'Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Position', 'Eintrittsdatum']
const PEOPLE = 40
const LEAVE = 2
const MOVE = 5
const EVIDENCE_KEPT = 3
const KEYS = 6
const ANSWERS_WITHIN_MS = 15_000
const RESOLVES_WITHIN_MS = 120_000
const CANCELED_BEFORE = 404
const AGAIN_AFTER_MS = 150
const LOOKS_EVERY_MS = 100
const RESTS_MS = 200

interface Upload {
  id: string
  state: string
  questions: object[]
  parts: { state: string; log_id: string; kind: string }[]
  summary: { refused: number }
}

/** Starts the work of an administrator of this company, which nobody else changes. */
export async function startAdministrator(
  stage: Pick<Stage, 'apis' | 'withServices'>,
  { companyId }: LoadedCompany,
  { seed, resolveWithinMs = RESOLVES_WITHIN_MS }: { seed: number; resolveWithinMs?: number },
): Promise<Administrator> {
  const random = seededRandom(seed)
  const { token } = await stage.withServices((services) =>
    addUser(services, { companyId, email: 'admin@example.com', name: 'Admin', role: 'admin' }),
  )
  const keys = await issueExpiringKeys(stage, companyId, KEYS)
  const listed = new Map<string, ListedPerson>()
  const logIds: string[] = []
  const evidence: Buffer[] = []
  const wrong: string[] = []
  const over = new AbortController()

  /** Repeats a request until it succeeds, or is answered with the other status that is accepted. */
  async function ask(method: string, path: string, body?: Buffer | object, accepted?: number): Promise<Buffer> {
    for (const deadline = performance.now() + resolveWithinMs; performance.now() < deadline;) {
      const { address } = random.pick(stage.apis)
      const isFile = Buffer.isBuffer(body)
      const type = isFile ? 'application/octet-stream' : 'application/json'
      const answer = await fetch(address + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
        body: body === undefined ? null : isFile ? new Uint8Array(body) : JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
      })
        .then(async (response) => ({ status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }))
        .catch(() => null)
      if (answer && (answer.status < 300 || answer.status === accepted)) return answer.bytes
      if (answer && answer.status !== 503 && answer.status !== 429)
        throw new Error(`${method} ${path} is answered with ${answer.status}: ${answer.bytes.toString()}`)
      await pause(AGAIN_AFTER_MS)
    }
    throw new Error(`${method} ${path} was never answered`)
  }
  const askJson = async <Body>(method: string, path: string, body?: Buffer | object) =>
    JSON.parse((await ask(method, `/admin/v1${path}`, body)).toString()) as Body

  /** Asks again until the answer is as it will be. */
  async function until<Answer>(
    first: Answer,
    { isSo, again }: { isSo: (answer: Answer) => boolean; again: () => Promise<Answer> },
  ): Promise<Answer> {
    let answer = first
    for (const deadline = performance.now() + resolveWithinMs; !isSo(answer);) {
      if (performance.now() > deadline) throw new Error(`the answer stays ${JSON.stringify(answer)}`)
      await pause(LOOKS_EVERY_MS)
      answer = await again()
    }
    return answer
  }

  /** Reads an upload until its state is no longer this one. */
  const whileIt = (state: string, upload: Upload) =>
    until(upload, {
      isSo: (current) => current.state !== state,
      again: () => askJson<Upload>('GET', `/uploads/${upload.id}`),
    })

  /** Returns the id of the upload. */
  async function sendFile(round: number): Promise<string> {
    // A request without an answer may have stored its file.
    for (const { id, state } of (await askJson<{ items: Upload[] }>('GET', '/uploads')).items)
      if (state !== 'ended') await ask('POST', `/admin/v1/uploads/${id}/cancel`, undefined, CANCELED_BEFORE)
    const isPartial = round % 2 === 1
    const rows = nextRows(listed, round, isPartial)
    const file = workbookOf(rows)
    let upload = await askJson<Upload>('POST', '/uploads?file_name=staff.xlsx', file)
    if (upload.questions.length > 0) {
      // Day or month first: the company's answer is remembered for the next file.
      const mapping = await askJson<{ columns: { dates?: string | null }[] }>('GET', `/uploads/${upload.id}/mapping`)
      for (const column of mapping.columns) if (column.dates === null) column.dates = 'day_first'
      upload = await askJson<Upload>('PUT', `/uploads/${upload.id}/mapping`, mapping)
      if (upload.questions.length > 0) throw new Error(`still asked: ${JSON.stringify(upload.questions)}`)
    } else if (round === 0) throw new Error('nobody asked whether the day or the month comes first')
    upload = await whileIt('previewing', upload)
    const left = isPartial
      ? []
      : [...listed].filter(([id, { isActive }]) => isActive && !rows.some((row) => row.id === id))
    let choice = isPartial ? 'all_or_none=false' : `deactivate=${left.length}`
    if (left.length > 0) {
      const list = () => askJson<{ count: number; beside: number }>('PUT', `/uploads/${upload.id}/missing`)
      // The read model finds them, and may be behind after a fault.
      const { beside } = await until(await list(), { isSo: ({ count }) => count === left.length, again: list })
      // The files of a day share a limit.
      choice += `&beside=${beside}`
    }
    upload = await whileIt('applying', await askJson<Upload>('POST', `/uploads/${upload.id}/apply?${choice}`))
    const states = upload.parts.map(({ state }) => state).join()
    if (upload.parts.some(({ state }) => state !== 'applied')) throw new Error(`its parts are ${states}`)
    const refused = rows.filter(({ isBad }) => isBad).length
    if (upload.summary.refused !== refused)
      throw new Error(`${refused} rows are wrong, and ${upload.summary.refused} were refused`)
    for (const { id, job, hasEmail, isBad } of rows) if (!isBad) listed.set(id, { job, hasEmail, isActive: true })
    for (const [id, person] of left) listed.set(id, { ...person, isActive: false })
    logIds.push(...upload.parts.map(({ log_id: logId }) => logId))
    return upload.id
  }

  /** Takes back a file that has only changed people. */
  async function undoFile(id: string, before: ReadonlyMap<string, ListedPerson>): Promise<void> {
    const undoing = await askJson<{ id: string }>('POST', `/uploads/${id}/undo`)
    const undone = await whileIt('applying', await askJson<Upload>('GET', `/uploads/${undoing.id}`))
    if (undone.parts.some(({ state }) => state !== 'applied')) throw new Error(`${id} was not undone`)
    for (const [externalId, person] of before) listed.set(externalId, person)
  }

  async function fetchEvidence(): Promise<void> {
    evidence.push(await ask('GET', `/audit/v1/evidence?call=${logIds.at(-1)!}`))
    if (evidence.length > EVIDENCE_KEPT) evidence.shift()
  }

  /** The problem of a key begins in one round, and ends in the next. That of the last key lasts. */
  async function expireKeys(round: number): Promise<void> {
    const key = keys[Math.floor(round / 2)]
    if (key === undefined || key === keys.at(-1)) return
    await setExpiry(stage, companyId, key.id, round % 2 === 0 ? SOON_MS : LATE_MS)
    await check()
  }

  /** Looks for problems, beside the schedule. */
  async function check(): Promise<void> {
    await untilDone(() => stage.withServices((services) => checkCompany(services, companyId)))
  }

  async function work(): Promise<void> {
    for (let round = 0; round < ROUNDS_AT_LEAST || !over.signal.aborted; round += 1) {
      const before = new Map(listed)
      const sent = await sendFile(round)
      await fetchEvidence()
      if (round % 4 === 1) await undoFile(sent, before)
      await expireKeys(round)
      await pause(RESTS_MS)
    }
    for (const { id } of keys) await setExpiry(stage, companyId, id, id === keys.at(-1)!.id ? SOON_MS : LATE_MS)
    await check()
  }

  const working = work().catch((error: unknown) => void wrong.push(String(error)))
  return {
    administered: { companyId, people: [], keys, listed, logIds, evidence },
    async end() {
      over.abort()
      await working
      return findings('administrator', wrong)
    },
  }
}

interface Row {
  id: string
  job: string
  hasEmail: boolean
  isBad: boolean
}

/** The whole list without those who left and with new people, or a few rows, of which one is refused. */
function nextRows(listed: ReadonlyMap<string, ListedPerson>, round: number, isPartial: boolean): Row[] {
  const active = [...listed].filter(([, { isActive }]) => isActive)
  const rows = active.map(([id, { job, hasEmail }]) => ({ id, job, hasEmail, isBad: false }))
  const moved = (row: Row): Row => ({ ...row, job: `Job of ${round}` })
  if (isPartial) return rows.slice(-MOVE).map((row, at) => ({ ...moved(row), isBad: at === 0 }))
  const stay = rows.slice(LEAVE)
  const count = listed.size === 0 ? PEOPLE : LEAVE
  const joined = Array.from({ length: count }, (_, at) => ({
    id: `P-${round}-${at}`,
    job: `Job of ${round}`,
    hasEmail: at % 2 === 0,
    isBad: false,
  }))
  return [...stay.map((row, at) => (at < MOVE ? moved(row) : row)), ...joined]
}

function workbookOf(rows: Row[]): Buffer {
  const cells = rows.map(({ id, job, hasEmail, isBad }) => [
    id,
    'Ana',
    `Person ${id}`,
    hasEmail ? `${id.toLowerCase()}@example.com` : '',
    isBad ? 'no number' : '+4915112345678',
    job,
    '03/04/2026',
  ])
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([HEADER, ...cells]), 'Personal')
  return write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
}
