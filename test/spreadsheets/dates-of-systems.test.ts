import t from 'tap'
import { readDate } from '../../src/spreadsheets/values/read-date.ts'

/* Dates as systems of other countries write them. */

await t.test('dates in the digits of other scripts, of the Persian calendar, and as moments are read', async (t) => {
  for (const [text, date] of [
    ['٢٠١٧/٠٣/١٤', '2017-03-14'],
    ['१४-०३-२०१७', '2017-03-14'],
    ['/Date(1489449600000)/', '2017-03-14'],
    ['/Date(1489449600000+0000)/', '2017-03-14'],
  ] as const)
    t.strictSame(readDate(text, 'day_first'), { value: date }, text)
  t.ok(readDate('/Date(1489480200000)/', null).fault, 'a time of day')
  for (const [text, date] of [
    ['1402/01/01', '2023-03-21'],
    ['۱۴۰۲/۰۶/۳۱', '2023-09-22'],
    ['1403/12/30', '2025-03-20'],
    ['1350-10-11', '1972-01-01'],
  ] as const)
    t.strictSame(readDate(text, { calendar: 'persian' }), { value: date }, text)
  t.ok(readDate('1402/12/30', { calendar: 'persian' }).fault, 'no leap year')
})
