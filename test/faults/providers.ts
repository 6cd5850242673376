import { setTimeout as pause } from 'node:timers/promises'
import { issueApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { seededRandom, type SeededRandom } from '../../src/cli/demo/seeded-random.ts'
import type { Finding } from './oracle/finding.ts'
import { findings } from './oracle/finding.ts'
import type { Stage } from './stage.ts'
import { attempt, type LoadedCompany, type Operation } from './workload.ts'

/*
 * Two identity providers of one company work during a fault, at once: they create people, change, disable, enable, and
 * delete them, and bring them back. A call without an answer is tried again as a new one, because SCIM has no idempotency
 * keys, and a creation only after a look-up.
 */

/** What must be stored of a user, by the user name. */
interface ProvisionedUser {
  id: string
  title: string
  isActive: boolean
  isDeleted: boolean
  times: Record<'created' | 'deactivated' | 'reactivated' | 'deleted', number>
}

/** What the providers were told, for the oracle. */
export interface Provisioned {
  companyId: string
  users: ReadonlyMap<string, ProvisionedUser>
}

export interface Providers {
  provisioned: Provisioned
  /** Every request, each tried once. */
  operations: readonly Operation[]
  /** Ends the work after the current users. Resolves with what was wrong in the answers. */
  end(): Promise<Finding[]>
}

interface AnsweredUser {
  id: string
  userName: string
  title?: string
  active: boolean
}

const QUOTA = 2_000_000_000
const USERS_AT_MOST = 40
const STEPS_AT_LEAST = 12
const RESOLVES_WITHIN_MS = 120_000
const AGAIN_AFTER_MS = 150
const RESTS_MS = 50

/** Starts the providers of a company whose people nobody else changes. */
export async function startProviders(
  stage: Pick<Stage, 'apis' | 'withServices'>,
  { companyId }: LoadedCompany,
  { seed, resolveWithinMs = RESOLVES_WITHIN_MS }: { seed: number; resolveWithinMs?: number },
): Promise<Providers> {
  const users = new Map<string, ProvisionedUser>()
  const operations: Operation[] = []
  const wrong: string[] = []
  const over = new AbortController()
  const started = performance.now()

  /** Sends a request until it has one of these answers. Returns its status, and the body. */
  async function ask(
    key: LoadedCompany['key'],
    random: SeededRandom,
    [method, path, body]: [Operation['method'], string, unknown?],
    statuses: number[],
    beforeAgain?: () => Promise<boolean>,
  ): Promise<{ status: number; body: unknown } | null> {
    for (const deadline = performance.now() + resolveWithinMs; performance.now() < deadline;) {
      const operation: Operation = {
        id: `scim-${key.api_id.slice(-6)}-${operations.length}`,
        companyId,
        apiId: key.api_id,
        method,
        path: `/scim/v2${path}`,
        body,
        isOfProvider: true,
        attempts: [],
        final: null,
        again: null,
      }
      operations.push(operation)
      const { address } = random.pick(stage.apis)
      operation.final = await attempt(address, { key }, operation, () => performance.now() - started)
      const { final } = operation
      if (final && statuses.includes(final.status)) return final
      if (final) throw new Error(`${method} ${path} is answered with ${final.status}: ${JSON.stringify(final.body)}`)
      await pause(AGAIN_AFTER_MS)
      if ((await beforeAgain?.()) === true) return null
    }
    throw new Error(`${method} ${path} was never answered`)
  }

  async function provide(key: LoadedCompany['key'], at: number): Promise<void> {
    const random = seededRandom(seed * 2 + at)
    const own: string[] = []
    const send = (request: [Operation['method'], string, unknown?], ...statuses: number[]) =>
      ask(key, random, request, statuses)

    async function lookUp(name: string): Promise<AnsweredUser | undefined> {
      const { body } = (await send(['GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`], 200))!
      const { totalResults, Resources } = body as { totalResults: number; Resources: AnsweredUser[] }
      if (totalResults > 1) throw new Error(`${name} is found ${totalResults} times`)
      return Resources[0]
    }

    /** Compares an answer with what the provider knows. */
    function assertSame(name: string, answered: AnsweredUser): void {
      const { id, title, isActive } = users.get(name)!
      const [told, known] = [
        [answered.id, answered.userName, answered.title, answered.active].join(', '),
        [id, name, title, isActive].join(', '),
      ]
      if (told !== known) throw new Error(`answered ${told}, and it is ${known}`)
    }

    /** Creates a user, or brings one back; without an answer, looks up whether that has happened. */
    async function create(name: string, title: string): Promise<AnsweredUser> {
      let found: AnsweredUser | undefined
      const hasHappened = async () => {
        found = await lookUp(name)
        return found !== undefined && found.active
      }
      const user = { userName: name, name: { givenName: 'Ana', familyName: name }, title, active: true }
      // The try before can be late, and come between the look-up and the next one.
      const answer = await ask(key, random, ['POST', '/Users', user], [201, 409], hasHappened)
      if (answer?.status === 201) return answer.body as AnsweredUser
      if (answer && !(await hasHappened())) throw new Error(`${name} is refused, and nobody else has the name`)
      return found!
    }

    async function join(step: number): Promise<void> {
      const name = `User.${at}.${step}`
      if (await lookUp(name)) throw new Error(`${name} is there before the creation`)
      const { id } = await create(name, 'New')
      const times = { created: 1, deactivated: 0, reactivated: 0, deleted: 0 }
      users.set(name, { id, title: 'New', isActive: true, isDeleted: false, times })
      own.push(name)
    }

    async function change(name: string, title: string): Promise<void> {
      const { id, isActive, isDeleted, times } = users.get(name)!
      const known = users.get(name)!
      const path = `/Users/${id}`
      const patch = async (isNowActive: boolean, ...Operations: object[]) => {
        const { body } = (await send(['PATCH', path, { Operations }], 200))!
        known.title = title
        if (isNowActive !== isActive) times[isNowActive ? 'reactivated' : 'deactivated'] += 1
        known.isActive = isNowActive
        assertSame(name, body as AnsweredUser)
      }
      if (isDeleted || (!isActive && random.chance(0.3))) {
        const answered = await create(name, title)
        times.reactivated += 1
        Object.assign(known, { title, isActive: true, isDeleted: false })
        return assertSame(name, answered)
      }
      const dice = random.below(5)
      if (dice === 0) {
        // A further try finds nobody.
        await send(['DELETE', path], 204, 404)
        times.deactivated += Number(isActive)
        times.deleted += 1
        return void Object.assign(known, { isActive: false, isDeleted: true })
      }
      if (dice === 1) {
        const { body } = (await send(['PUT', path, { userName: name, title, active: isActive }], 200))!
        known.title = title
        return assertSame(name, body as AnsweredUser)
      }
      const titled = { op: 'Replace', path: 'title', value: title }
      if (dice === 2) return patch(isActive, titled)
      return patch(!isActive, titled, { op: 'replace', value: { active: isActive ? 'False' : 'True' } })
    }

    for (let step = 0; step < STEPS_AT_LEAST || !over.signal.aborted; step += 1) {
      if (own.length < 3 || (own.length < USERS_AT_MOST && random.chance(0.3))) await join(step)
      else await change(random.pick(own), `Title ${step}`)
      await pause(RESTS_MS)
    }
  }

  const keys = await stage.withServices(async (services) => {
    const wanted = {
      companyId,
      name: 'Provider',
      quotaLimit: QUOTA,
      refreshPeriod: 'monthly',
      scopes: ['scim'],
    } as const
    return [await issueApiKey(services, wanted), await issueApiKey(services, wanted)]
  })
  const working = Promise.all(
    keys.map((key, at) => provide(key, at).catch((error: unknown) => void wrong.push(String(error)))),
  )
  return {
    provisioned: { companyId, users },
    operations,
    async end() {
      over.abort()
      await working
      return findings('provider', wrong)
    },
  }
}
