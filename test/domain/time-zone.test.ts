import t from 'tap'
import { readTimeZone, TIME_ZONES } from '../../src/domain/accounts/company-settings.ts'

await t.test('every listed time zone is known by its name, in any case', async (t) => {
  t.ok(TIME_ZONES.length > 400)
  for (const name of TIME_ZONES) {
    t.equal(readTimeZone(name), name)
    t.equal(readTimeZone(name.toLowerCase()), name)
  }
})

await t.test('another IANA name of the same zone is kept as chosen', async (t) => {
  for (const name of ['Asia/Kolkata', 'Europe/Kyiv', 'Etc/GMT+5']) t.equal(readTimeZone(name), name)
})

await t.test('only IANA names are accepted: offsets know nothing of summer time', async (t) => {
  for (const text of [
    '',
    ' ',
    '+01:00',
    '-05',
    'Nowhere/Land',
    'Europe/Berlin ',
    '<b>UTC</b>',
    '\0',
    'A'.repeat(5_000),
  ]) {
    t.equal(readTimeZone(text), null, JSON.stringify(text.slice(0, 20)))
  }
})
