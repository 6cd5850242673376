import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../../../src/cli/demo/seeded-random.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import type { ReceivedEmail, TestMailServer } from '../../support/mail/mail-server.ts'
import { refuseWith, startMailServer } from '../../support/mail/mail-server.ts'

/** A message that the server has accepted. */
export interface AcceptedEmail {
  /** The id of the message's row. */
  emailId: string
  to: string
  /** Its lines of text. */
  lines: string[]
}

/** An SMTP server that is down, slow, and refuses messages for a while, until it recovers. */
export interface UnreliableMail {
  url: string
  accepted: AcceptedEmail[]
  /** Lets the server misbehave from here on. */
  disturb(random: SeededRandom): void
  /** Stops it for so many milliseconds. */
  stopFor(ms: number): Promise<void>
  /** From here on it accepts each message at once. */
  recover(): void
}

const OPTIONS = { authOptional: true, hideSTARTTLS: true }
const CONDUCTS = ['accept', 'accept', 'slow', 'refuse'] as const
const SLOW_AT_MOST_MS = 1_500

/** Starts a server that behaves well. */
export async function startUnreliableMail(cleanup: Cleanup): Promise<UnreliableMail> {
  const accepted: AcceptedEmail[] = []
  let random: SeededRandom | null = null
  let stops = 0
  const judge = async (email: ReceivedEmail, stopsBefore: number): Promise<Error | void> => {
    const conduct = random === null ? 'accept' : random.pick(CONDUCTS)
    if (conduct === 'refuse') return refuseWith(451)
    if (conduct === 'slow') await pause(random!.below(SLOW_AT_MOST_MS))
    // Once a stop begins, the server answers 421, even to a message that it reads later.
    if (stops > stopsBefore) return refuseWith(421)
    accepted.push({
      emailId: /<([^@]+)@/.exec(email.headers['message-id'] ?? '')?.[1] ?? '',
      to: email.to.join(),
      lines: email.text.split('\n'),
    })
  }
  const open = async (port?: number): Promise<TestMailServer> => {
    const stopsBefore = stops
    const started = await startMailServer({ teardown: () => undefined }, OPTIONS, port === undefined ? {} : { port })
    started.judge = (email) => judge(email, stopsBefore)
    return started
  }
  let server = await open()
  cleanup.teardown(() => server.close(), 'closing the mail server')
  return {
    url: server.url,
    accepted,
    disturb: (chances) => void (random = chances),
    async stopFor(ms) {
      stops += 1
      await server.close()
      await pause(ms)
      server = await open(server.port)
    },
    recover: () => void (random = null),
  }
}
