// The command palette: Ctrl K (or Cmd K), or the search link of the frame, opens a dialog that leads to any page, person,
// key, webhook and entry. The search page finds them; without this script, the link opens it.

import { make, parseRendered } from './elements.js'

const WAIT_MS = 150
/** As findSecretIn does. A secret stays in the browser. */
const SECRET = /el_(?:live|user)_\w*/

const link = document.querySelector('a[data-palette]')

function makePalette() {
  const input = make('input', {
    type: 'search',
    maxlength: '254',
    autocomplete: 'off',
    'aria-label': 'Page, person, key or entry',
    placeholder: 'Page, person, key or entry',
  })
  const list = make('ul', { class: 'places' })
  const status = make('p', { class: 'hint', role: 'status' })
  const dialog = make('dialog', { class: 'palette', 'aria-label': 'Search' }, input, list, status)
  document.body.append(dialog)

  /** Shows what the search page found. */
  const show = (page) => {
    list.replaceChildren(...page.querySelectorAll('main .places > li'))
    status.textContent = page.querySelector('main .empty')?.textContent ?? ''
  }

  let lastSearch = null
  async function search() {
    lastSearch?.abort()
    const { signal } = (lastSearch = new AbortController())
    if (SECRET.test(input.value)) {
      list.replaceChildren()
      status.textContent = 'Search for secrets on the page API keys.'
      return
    }
    const body = new URLSearchParams({ q: input.value })
    const answer = await fetch(link.href, { method: 'POST', body, signal }).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (signal.aborted) return
    if (answer?.ok && text) show(parseRendered(text))
    else
      status.textContent = answer?.status === 401 ? 'Your session has ended. Sign in again.' : 'Try again in a moment.'
  }

  let waiting = 0
  input.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(() => void search(), WAIT_MS)
  })
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    const next = { ArrowDown: links[at + 1], ArrowUp: links[at - 1] ?? input }[event.key]
    if (event.key === 'Enter' && at === -1 && links[0]) {
      event.preventDefault()
      links[0].click()
    } else if (next) {
      event.preventDefault()
      next.focus()
    }
  })
  // A click beside the dialog.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  return {
    open() {
      if (dialog.open) return
      dialog.showModal()
      input.select()
      void search()
    },
  }
}

let palette = null
function openPalette(event) {
  event.preventDefault()
  palette ??= makePalette()
  palette.open()
}

if (link) {
  link.addEventListener('click', (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) openPalette(event)
  })
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey)
      openPalette(event)
  })
}
