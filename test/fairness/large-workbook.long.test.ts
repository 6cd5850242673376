import { setTimeout as pause } from 'node:timers/promises'
import { utils, write } from '@e965/xlsx'
import t from 'tap'
import { addressOf, startProcess } from '../support/processes/processes.ts'
import { prepareWatchdog } from '../support/processes/watched-process.ts'
import { inputs } from '../support/quick.ts'
import { send, startService } from '../support/service.ts'
import { MAX_WORK_MS } from './watched-files.ts'

/*
 * A workbook of 50,000 people (fewer in the gate), sorted by name, is looked at and applied, and its steps say what
 * they cost.
 */

const PEOPLE = inputs(4_000, 50_000)

const owner = await startService(t)
const watchdog = prepareWatchdog(t)
const settings = { ...watchdog.variables, DATA_DIR: owner.config.DATA_DIR }
const address = addressOf(await startProcess(t, 'start', owner.urls, settings))
const { admin } = owner.company
const manage = (method: string, path: string, body?: Buffer) =>
  send(address, method, `/admin/v1/uploads${path}`, {
    key: null,
    headers: {
      authorization: `Bearer ${admin.token}`,
      ...(body ? { 'content-type': 'application/octet-stream' } : {}),
    },
    body,
  })

function writeWorkbook(): Buffer {
  const header =
    'Employee ID,First Name,Last Name,Email,Job Title,Department,Division,Location,Manager,Start Date,Status'
  const nameOf = (at: number) => ['Ana', `Perez ${String(at).padStart(5, '0')}`]
  const rows = Array.from({ length: PEOPLE }, (_, at) => {
    const above = at === PEOPLE - 1 ? '' : nameOf(PEOPLE - 1 - ((PEOPLE - 1 - at) >> 1)).join(' ')
    const names = nameOf(at)
    return [
      `E-${at}`,
      ...names,
      `e${at}@example.com`,
      'Engineer',
      'Sales',
      'Europe',
      'Berlin',
      above,
      '2019-02-28',
      'Active',
    ]
  })
  const book = utils.book_new()
  utils.book_append_sheet(book, utils.aoa_to_sheet([header.split(','), ...rows]), 'Staff')
  return write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer
}

await t.test('it takes the event loop in short pieces', async (t) => {
  const content = writeWorkbook()
  const idle = await watchdog.read()
  const started = performance.now()
  const measure = async (step: string) => {
    const { longestWorkMs, cpuMs, peakBytes } = await watchdog.read()
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    const mebibytes = Math.round((peakBytes - idle.peakBytes) / 2 ** 20)
    t.ok(
      longestWorkMs < MAX_WORK_MS,
      `${step}: after ${seconds} s; ${Math.round(cpuMs)} ms of CPU, longest piece ${Math.round(longestWorkMs)} ms, ${mebibytes} MiB more at the peak`,
    )
  }
  const made = await manage('POST', '?file_name=staff.xlsx', content)
  t.match(made, { status: 201, body: { rows: PEOPLE, questions: [] } })
  await measure(`${content.length} bytes read and stored`)
  for (const state of ['previewing', 'applying']) {
    let upload
    do {
      await pause(500)
      upload = (await manage('GET', `/${made.body.id}`)).body
    } while (upload.state === state)
    await measure(state)
    if (state === 'previewing') t.equal((await manage('POST', `/${made.body.id}/apply`)).status, 200)
  }
  t.match((await manage('GET', `/${made.body.id}`)).body, { state: 'ended', summary: { applied: PEOPLE } })
})
