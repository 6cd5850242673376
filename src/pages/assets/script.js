// Progressive enhancement: every page works without this script.

import { parseRendered } from './elements.js'

/**
 * Buttons that copy a text: `<button data-copy="#id" hidden>`, or without an id what stands before the button; shown only
 * where copying works.
 */
function copyButtons(within) {
  if (!navigator.clipboard) return
  for (const button of within.querySelectorAll('button[data-copy]')) {
    const label = button.textContent
    button.hidden = false
    const copy = async () => {
      const { copy: id } = button.dataset
      const copied = id ? document.querySelector(id) : button.previousElementSibling
      await navigator.clipboard.writeText(copied?.textContent ?? '')
      button.textContent = 'Copied'
      setTimeout(() => (button.textContent = label), 2_000)
    }
    button.addEventListener('click', () => void copy())
  }
}

/** Each unit with its length, and the distance that rounds to one of it; like `formatAge`. */
const UNITS = [
  ['day', 86_400_000, 84_600_000],
  ['hour', 3_600_000, 3_570_000],
  ['minute', 60_000, 59_500],
  ['second', 1_000, 0],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Updates relative times: `<span data-since="RFC 3339">`. */
function keepAges() {
  const now = Date.now()
  for (const span of document.querySelectorAll('[data-since]')) {
    const away = Date.parse(span.dataset.since) - now
    const [unit, size] = UNITS.find(([, , from]) => Math.abs(away) >= from)
    const text = relative.format(Math.sign(away) * Math.round(Math.abs(away) / size), unit)
    if (span.textContent !== text) span.textContent = text
  }
}

/**
 * Reloads a part of a page while the page is visible: `<div id data-refresh="ms">`. The part has everything that changes
 * but the title. Without the attribute it is final. Until then, nothing is replaced while the focus is in it.
 */
function keepFresh(id, everyMs) {
  /** Returns whether the part still changes. */
  async function refresh() {
    if (document.visibilityState !== 'visible') return true
    const answer = await fetch(location.pathname).catch(() => null)
    if (!answer?.ok) return answer?.status !== 401
    const page = parseRendered(await answer.text())
    const fresh = page.getElementById(id)
    const isMoving = fresh.dataset.refresh !== undefined
    const shown = document.getElementById(id)
    const focused = shown.contains(document.activeElement) ? document.activeElement : null
    if (focused && isMoving) return true
    shown.replaceWith(fresh)
    document.title = page.querySelector('title').textContent
    copyButtons(fresh)
    if (focused) findAgain(fresh, focused)?.focus()
    return isMoving
  }
  // One request at a time, so that no late answer replaces a newer one.
  const refreshLater = () => setTimeout(async () => ((await refresh()) ? refreshLater() : undefined), everyMs)
  refreshLater()
}

/** Finds the element that was there before a part was replaced. */
function findAgain(within, { localName, textContent, href }) {
  return [...within.querySelectorAll(localName)].find((one) => one.textContent === textContent && one.href === href)
}

/** Lets breadcrumbs lead back to a list with its last filters, in this tab and until someone signs in. */
function keepFilters() {
  if (location.pathname === '/sign-in') return sessionStorage.clear()
  for (const link of document.querySelectorAll('.trail a')) {
    const query = sessionStorage.getItem(link.pathname)
    if (query) link.search = query
  }
  const isList = document.querySelector('.menu a[aria-current]')?.pathname === location.pathname
  const query = new URLSearchParams(location.search)
  query.delete('done')
  if (isList) sessionStorage.setItem(location.pathname, query.toString())
}

/** Sends the SHA-256 of a secret, where the browser can compute it, and not the secret: `<form data-hashed-secret>`. */
function hashSecrets(form) {
  const { q, secret_sha256: hashed } = form.elements
  const send = async (secret) => {
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)))
    hashed.value = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    q.value = ''
    form.submit()
  }
  form.addEventListener('submit', (event) => {
    // As findSecretIn does.
    const [secret] = /el_(?:live|user)_\w*/.exec(q.value) ?? []
    // Browsers compute hashes only on pages that were loaded over TLS or from this machine.
    if (!secret || !window.crypto?.subtle) return
    event.preventDefault()
    void send(secret)
  })
}

/** Longer than a double click; a form whose answer is a download can be sent again afterwards. */
const REPEATED_MS = 3_000

/**
 * Sends a form once per click of a button, also of a double click. A second request could be answered by another
 * process, which can't show the secret again.
 */
function sendOnce(event) {
  const { target: form, submitter } = event
  if (event.defaultPrevented || form.method !== 'post') return
  const sent = `${submitter?.formAction ?? ''}#${submitter?.name ?? ''}=${submitter?.value ?? ''}`
  if (form.dataset.sent === sent) return event.preventDefault()
  form.dataset.sent = sent
  setTimeout(() => {
    if (form.dataset.sent === sent) delete form.dataset.sent
  }, REPEATED_MS)
}

const refreshed = document.querySelector('[data-refresh]')
if (refreshed) keepFresh(refreshed.id, Number(refreshed.dataset.refresh))
// Signing in leads back to a form that was sent after the session had ended.
document.querySelector('form[data-continue]')?.submit()
const secretForm = document.querySelector('form[data-hashed-secret]')
if (secretForm) hashSecrets(secretForm)
document.addEventListener('submit', sendOnce)
// A page that the browser kept, whose timers stood still.
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})
keepFilters()
copyButtons(document)
setInterval(keepAges, 1_000)
