import t from 'tap'
import { chooseDelay, MAIL_BACKOFF, WEBHOOK_BACKOFF } from '../../src/delivery/backoff.ts'
import { parseRetryAfter } from '../../src/delivery/webhooks/message-posting.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const HOUR = 3_600_000

await t.test('delays grow from seconds to 8 hours for a webhook, and to an hour for mail', async (t) => {
  const delays = (backoff: typeof MAIL_BACKOFF) =>
    Array.from({ length: 12 }, (_, at) => chooseDelay(backoff, at + 1, 0.5))
  t.strictSame(delays(WEBHOOK_BACKOFF).slice(0, 4), [5_000, 15_000, 45_000, 135_000])
  t.strictSame(delays(WEBHOOK_BACKOFF).slice(-3), [8 * HOUR, 8 * HOUR, 8 * HOUR])
  t.strictSame(delays(MAIL_BACKOFF).slice(0, 4), [10_000, 30_000, 90_000, 270_000])
  t.strictSame(delays(MAIL_BACKOFF).slice(-3), [HOUR, HOUR, HOUR])
})

await t.test('chance varies a delay by a fifth', async (t) => {
  t.strictSame(
    [0, 1].map((chance) => chooseDelay(WEBHOOK_BACKOFF, 1, chance)),
    [4_000, 6_000],
  )
})

const RETRY_AFTER: [value: string, delay: number][] = [
  ['120', 120_000],
  ['0', 0],
  ['999999999999', 24 * HOUR],
  ['Fri, 20 Nov 2026 13:00:00 GMT', HOUR],
  ['Fri, 20 Nov 2020 13:00:00 GMT', 0],
  ['soon', 0],
  ['-7', 0],
]

await t.test('Retry-After is read in seconds and as a date, and taken up to a day', async (t) => {
  for (const [value, delay] of RETRY_AFTER) t.equal(parseRetryAfter(value, NOW), delay, value)
})
