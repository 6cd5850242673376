// Bulk User Logs, live: inserts new entries at the top of the first page of the list. An event stream announces them; the
// server renders the rows, with the filters of the page. The page's cursor is the position up to which it has the log, so
// a broken stream loses nothing, and rows that are already there are not added again.

import { parseRendered } from './elements.js'

const MAX_ROWS = 200
const ROWS_PAUSE_MS = 1_000
const ROWS_TIMEOUT_MS = 30_000
const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 60_000
const ANNOUNCED_AFTER_MS = 1_000
const MISSED_HEARTBEATS = 2.5
/** Browsers limit connections to a host, and the service limits streams per user: a hidden page closes its stream. */
const HIDDEN_MS = 60_000

const log = document.querySelector('[data-live]')
const part = (name) => log.querySelector(`[data-live-${name}]`)
const table = log.querySelector('table')
const body = table.tBodies[0]
const { stream: streamPath, rows: rowsPath } = log.dataset

let cursor = log.dataset.cursor
let stream = null
let silence = 0
/** The interval of heartbeats, which the first one tells. */
let heartbeatMs = null
let failures = 0
let isSignedOut = false
/** Rows that are not shown yet, newest first. */
let waiting = []

let isPaused = false

const countNew = (count) => `${count} new ${count === 1 ? 'entry' : 'entries'}`

function showConnection() {
  const isOpen = stream?.readyState === EventSource.OPEN
  const connection = isOpen ? 'Live' : failures > 0 ? 'Reconnecting' : 'Connecting'
  part('status').textContent = isSignedOut ? 'Signed out' : isPaused ? 'Paused' : connection
  part('sign-in').hidden = !isSignedOut
  part('waiting').hidden = waiting.length === 0
  part('waiting').textContent = `${waiting.length === MAX_ROWS ? 'More than ' : ''}${countNew(waiting.length)}`
}

/** Whether rows can be inserted without moving what somebody reads or points at. */
function isFree() {
  return !isPaused && table.getBoundingClientRect().top >= 0 && !table.matches(':hover')
}

function showWaiting() {
  if (waiting.length > 0) insert(waiting.splice(0))
  showConnection()
}

let announcing = 0
let unannounced = 0
/** Announces new entries to assistive technology, several at a time. */
function announce(count) {
  unannounced += count
  clearTimeout(announcing)
  announcing = setTimeout(() => {
    part('announcement').textContent = `${countNew(unannounced)}${waiting.length > 0 ? ' waiting' : ''}`
    unannounced = 0
  }, ANNOUNCED_AFTER_MS)
}

/** Inserts rows at the top, without moving the focus. */
function insert(rows) {
  const arrived = new DocumentFragment()
  for (const row of rows) {
    row.classList.add('arrived')
    arrived.append(row)
  }
  body.prepend(arrived)
  if (body.rows.length > 0) {
    table.hidden = false
    part('none').hidden = true
  }
  dropOldest()
}

/** Removes the oldest rows beyond the limit; the link to older entries then starts after the last row that is left. */
function dropOldest() {
  if (body.rows.length <= MAX_ROWS) return
  for (const row of [...body.rows].slice(MAX_ROWS)) if (!row.contains(document.activeElement)) row.remove()
  const older = log.querySelector('a[rel=next]')
  const address = new URL(location.href)
  address.searchParams.set('cursor', body.rows[MAX_ROWS - 1].dataset.cursor)
  older.href = address.pathname + address.search
  older.hidden = false
}

/** Adds new entries to the number of those that match; a number that is not exact stays. */
function addToCount(added) {
  const shown = part('count')
  if (!shown) return
  const count = Number(shown.dataset.liveCount) + added
  shown.dataset.liveCount = count
  shown.textContent = `${count.toLocaleString('en-GB')} ${count === 1 ? shown.dataset.one : shown.dataset.many}`
  shown.hidden = false
}

/** Adds the counts of new entries to the sums of all; sums that are not exact stay. */
function addToSums(rows) {
  for (const cell of table.querySelectorAll('[data-live-sum]')) {
    const numbers = rows.map((row) => Number(row.cells[cell.cellIndex].textContent.replace(/\D/g, '')))
    const sum = numbers.reduce((total, number) => total + number, Number(cell.dataset.liveSum))
    cell.dataset.liveSum = sum
    cell.textContent = sum.toLocaleString('en-GB')
    cell.classList.toggle('none', sum === 0)
  }
}

function arrive(rows) {
  const knownIds = new Set([...body.rows, ...waiting].map((row) => row.dataset.id))
  const fresh = rows.filter((row) => !knownIds.has(row.dataset.id))
  if (fresh.length === 0) return
  waiting = [...fresh, ...waiting].slice(0, MAX_ROWS)
  if (isFree()) showWaiting()
  addToCount(fresh.length)
  addToSums(fresh)
  announce(fresh.length)
  showConnection()
}

let fetching = null
let isWanted = false
/** Fetches newer rows, one request at a time: a call during a request leads to one more request after it. */
function update() {
  isWanted = true
  fetching ??= fetchWanted().finally(() => (fetching = null))
  return fetching
}

async function fetchWanted() {
  while (isWanted && !isSignedOut) {
    isWanted = false
    const address = new URL(rowsPath, location.href)
    address.searchParams.set('after', cursor)
    const answer = await fetch(address, { signal: AbortSignal.timeout(ROWS_TIMEOUT_MS) })
    isSignedOut = answer.status === 401 || answer.status === 403
    if (!answer.ok) throw new Error(`${answer.status}`)
    const rendered = parseRendered(await answer.text()).querySelector('tbody')
    cursor = rendered.dataset.cursor
    if ('more' in rendered.dataset) isWanted = true
    arrive([...rendered.rows].map((row) => document.adoptNode(row)))
    await new Promise((resolve) => setTimeout(resolve, ROWS_PAUSE_MS))
  }
}

let retrying = null
/** Opens the stream at the page's cursor. The browser's own reconnection has no backoff and ignores refusals. */
function open() {
  close()
  stream = new EventSource(`${streamPath}?cursor=${encodeURIComponent(cursor)}`)
  stream.addEventListener('open', () => {
    failures = 0
    showConnection()
  })
  stream.addEventListener('heartbeat', ({ data }) => {
    heartbeatMs = JSON.parse(data).interval_ms
    expectHeartbeat()
  })
  stream.addEventListener('message', () => {
    expectHeartbeat()
    void update().catch(retry)
  })
  stream.addEventListener('error', retry)
  expectHeartbeat()
  showConnection()
}

/** Notes a sign of life. A connection can go silent without an error: after two missed heartbeats, it is replaced. */
function expectHeartbeat() {
  clearTimeout(silence)
  if (heartbeatMs !== null) silence = setTimeout(retry, MISSED_HEARTBEATS * heartbeatMs)
}

function close() {
  clearTimeout(retrying)
  clearTimeout(silence)
  retrying = null
  stream?.close()
  stream = null
}

/** After an error: waits (exponential backoff with jitter), fetches new rows, and reopens the stream. */
function retry() {
  if (retrying !== null) return
  close()
  const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2)
  failures += 1
  retrying = setTimeout(() => void update().then(open, stopOrRetry), wait)
  showConnection()
}

function stopOrRetry() {
  close()
  if (!isSignedOut) return retry()
  showConnection()
}

part('pause').addEventListener('click', () => {
  isPaused = !isPaused
  part('pause').textContent = isPaused ? 'Resume' : 'Pause'
  if (isFree()) showWaiting()
  else showConnection()
})
part('waiting').addEventListener('click', () => {
  showWaiting()
  if (table.getBoundingClientRect().top < 0) table.scrollIntoView()
})
table.addEventListener('pointerleave', () => {
  if (isFree()) showWaiting()
})

let hiding = 0
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding)
  if (document.visibilityState === 'hidden') hiding = setTimeout(close, HIDDEN_MS)
  else if (!stream && !isSignedOut) open()
})

part('sign-in').href = location.pathname + location.search
part('bar').hidden = false
open()
