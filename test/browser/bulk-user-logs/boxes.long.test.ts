import t from 'tap'
import { openBrowser, openPage, signIn } from '../../support/browser/browser.ts'
import { employee, send, startService } from '../../support/service.ts'

/* What the list shows is in view, measured by its boxes. */

const browser = await openBrowser()
const service = await startService(t)
const { key, admin } = service.company
const call = (method: 'POST' | 'PUT' | 'PATCH', body: unknown, query = '') =>
  service.call(method, `/v1/employees${query}`, { key, body })

const people = Array.from({ length: 20 }, (_, at) => employee({ external_id: `B-${at}` }))
await call('POST', people)
for (let turn = 0; turn < 14; turn += 1) {
  await call('PUT', [...people.slice(0, turn), { external_id: 'B-19', job_title: `T${turn}` }])
  await call('POST', '{')
  await call('PATCH', [{ external_id: 'nobody' }])
  await call(
    'PATCH',
    [{ external_id: 'B-1', status: turn % 2 ? 'active' : 'inactive' }, { id: 'x' }],
    '?all_or_none=false',
  )
}
await send(service.address, 'POST', '/admin/v1/uploads?apply=true', {
  key: null,
  body: 'external_id,first_name,email\nU-1,Ada,ada@example.com\n',
  headers: { 'content-type': 'text/csv', authorization: `Bearer ${admin.token}` },
})
await service.project()

/** The window of a laptop at 200 % has half of its pixels. */
const WINDOWS: [width: number, height: number][] = [
  [1440, 900],
  [1280, 800],
  [1024, 768],
  [720, 450],
  [390, 844],
]

interface Boxes {
  cut: string[]
  wider: number
  inView: number
}

/** What is cut or hidden of what says which call it was, and how many rows are in view. */
const MEASURE = `
  const rows = [...document.querySelectorAll('.entries tbody tr')]
  const cells = rows.flatMap((row) => [...row.querySelectorAll('.when, .status, .result, .source, .caller')])
  const isCut = (cell) => cell.clientWidth === 0 || cell.scrollWidth > cell.clientWidth + 1
  const end = Math.min(innerHeight, document.querySelector('.entries tfoot').getBoundingClientRect().top)
  ;({
    cut: cells.filter(isCut).map((cell) => cell.className + ': ' + cell.textContent.trim()),
    wider: document.documentElement.scrollWidth - innerWidth,
    inView: rows.filter((row) => row.getBoundingClientRect().bottom <= end).length,
  })`

/** Whether the row with the focus is behind the head or the sums. */
const IS_COVERED = `
  const box = (element) => element?.getBoundingClientRect()
  const row = box(document.activeElement.closest('tbody tr'))
  row !== undefined &&
    (row.top < box(document.querySelector('.entries thead th')).bottom - 1 ||
      row.bottom > box(document.querySelector('.entries tfoot')).top + 1)`

await t.test('time, status, result, name, and caller are whole at every width', async (t) => {
  const { page } = await openPage(t, browser, service)
  await signIn(page, service.company, 'admin')
  for (const [width, height] of WINDOWS) {
    await page.setViewportSize({ width, height })
    const boxes = await page.evaluate<Boxes>(`{${MEASURE}}`)
    t.strictSame(boxes.cut, [], `${width} px`)
    t.ok(boxes.wider <= 0, `${width} px: the page is no wider than the window`)
    if (width === 1024) t.ok(boxes.inView >= 14, `${boxes.inView} rows are in view`)
  }
})

await t.test('what has the focus is never behind the head or the sums of the list', async (t) => {
  const { page } = await openPage(t, browser, service, { viewport: { width: 1440, height: 600 } })
  await signIn(page, service.company, 'admin')
  const isCovered = () => page.evaluate<boolean>(`{${IS_COVERED}}`)
  for (const press of ['j', 'Tab']) {
    await page.locator('.entries tbody a').first().focus()
    const covered: number[] = []
    for (let row = 1; row < 50; row += 1) {
      await page.keyboard.press(press)
      if (await isCovered()) covered.push(row)
    }
    t.strictSame(covered, [], press)
  }
})
