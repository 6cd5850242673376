import t from 'tap'
import { renderTable } from '../../src/pages/parts/elements.ts'

/* A page with many rows keeps nobody waiting while it is rendered. */

/** Longer than work may take a turn of the event loop, in milliseconds. */
const LONG_MS = 15

function keepBusy(): void {
  const until = performance.now() + LONG_MS
  while (performance.now() < until);
}

await t.test('between rows that take long, everything else gets a turn', async (t) => {
  const done: string[] = []
  const table = renderTable<string>({
    caption: 'Rows',
    columns: {
      Name: (row) => {
        keepBusy()
        done.push(row)
        setImmediate(() => done.push(`after ${row}`))
        return row
      },
    },
    rows: ['one', 'two', 'three'],
  })
  const text = String(await table)
  t.ok(done.indexOf('after one') < done.indexOf('three'), done.join(', '))
  t.match(text, /one[^]*two[^]*three/)
})

await t.test('a row that cannot be rendered fails the page, even if something else is waited for first', async (t) => {
  const cell = () => {
    throw new Error('no such value')
  }
  const table = renderTable<string>({ caption: 'Rows', columns: { Name: cell }, rows: ['one'] })
  await new Promise(setImmediate)
  await t.rejects(async () => table, { message: 'no such value' })
})
