// Keyboard shortcuts of pages with a list: / focuses the search box, j and k move through the rows, Enter opens the
// focused one (it is a link), ? shows help. Single keys can get in the way of speech input, so the help can turn them
// off (WCAG 2.2, 2.1.4).

import { make } from './elements.js'

const SHORTCUTS = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['?', 'Show this help'],
]
const OFF = 'shortcuts-off'

const main = document.querySelector('main')
const search = main?.querySelector('form input[type=search], form[method=get] input[type=text]')

/** The links of the rows that can be opened. */
const listRowLinks = () =>
  [...main.querySelectorAll('tbody tr')].map((row) => row.querySelector('a[href]')).filter((link) => link?.offsetParent)

function move(step) {
  const links = listRowLinks()
  const row = document.activeElement?.closest('tbody tr')
  const at = links.findIndex((link) => row?.contains(link))
  const next = at === -1 ? (step > 0 ? 0 : -1) : Math.max(0, at + step)
  links[next]?.focus()
}

function makeHelp() {
  const isOn = make('input', { type: 'checkbox', id: 'shortcuts-on' })
  isOn.checked = localStorage.getItem(OFF) === null
  isOn.addEventListener('change', () => {
    if (isOn.checked) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, 'yes')
  })
  const keys = SHORTCUTS.flatMap(([key, text]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, text)])
  const dialog = make(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    make('h2', { id: 'help-title' }, 'Keyboard shortcuts'),
    make('dl', { class: 'facts' }, ...keys),
    make('p', { class: 'switch' }, isOn, ' ', make('label', { for: 'shortcuts-on' }, 'Use these shortcuts')),
    make('form', { method: 'dialog' }, make('button', { class: 'primary' }, 'Close')),
  )
  document.body.append(dialog)
  return dialog
}

let help = null
function showHelp() {
  help ??= makeHelp()
  if (!help.open) help.showModal()
}

const isTyping = (target) => target.closest('input:not([type=checkbox]), select, textarea, [contenteditable]') !== null

function act(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
  if (localStorage.getItem(OFF) !== null || help?.open) return
  const action = { '/': search && (() => search.focus()), j: () => move(1), k: () => move(-1), '?': showHelp }[
    event.key
  ]
  if (!action) return
  event.preventDefault()
  action()
}

if (main && (search || main.querySelector('tbody tr'))) {
  document.addEventListener('keydown', act)
  const button = make('button', { type: 'button', class: 'quiet' }, 'Keyboard shortcuts')
  button.addEventListener('click', showHelp)
  main.append(make('p', {}, button))
}
