import t from 'tap'
import { chooseDelay } from '../../src/delivery/webhooks/backoff.ts'

const NOW = Date.parse('2026-11-20T12:00:00.000Z')
const HOUR = 3_600_000

await t.test('delays grow from seconds to 8 hours', async (t) => {
  const delays = Array.from({ length: 12 }, (_, at) => chooseDelay(at + 1, null, 0.5, NOW))
  t.strictSame(delays.slice(0, 4), [5_000, 15_000, 45_000, 135_000])
  t.strictSame(delays.slice(-3), [8 * HOUR, 8 * HOUR, 8 * HOUR])
})

await t.test('chance varies a delay by a fifth', async (t) => {
  t.strictSame(
    [0, 1].map((chance) => chooseDelay(1, null, chance, NOW)),
    [4_000, 6_000],
  )
})

const RETRY_AFTER: [value: string, delay: number][] = [
  ['120', 120_000],
  ['0', 5_000],
  ['1', 5_000],
  ['999999999999', 24 * HOUR],
  ['Fri, 20 Nov 2026 13:00:00 GMT', HOUR],
  ['Fri, 20 Nov 2020 13:00:00 GMT', 5_000],
  ['soon', 5_000],
  ['-7', 5_000],
]

await t.test('Retry-After is honored if it asks for more, up to a day', async (t) => {
  for (const [value, delay] of RETRY_AFTER) t.equal(chooseDelay(1, value, 0.5, NOW), delay, value)
})
