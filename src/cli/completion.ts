import type { Command, Option } from 'commander'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../..', import.meta.url))
const ZSH = 'autoload -U +X bashcompinit && bashcompinit\n'

/** The shells that can complete commands. */
export const SHELLS = ['bash', 'zsh', 'fish']

/** Writes a script that defines the command `employee-ledger` in a shell, with completion. */
export function writeCompletion(program: Command, shell: string) {
  if (shell === 'fish') return writeFish(program)
  const cases = program.commands.flatMap((command) => [
    casesOf([command.name()], command),
    ...command.commands.map((child) => casesOf([command.name(), child.name()], child)),
  ])
  return `${shell === 'zsh' ? ZSH : ''}employee-ledger() { npm --prefix ${quote(FOLDER)} run --silent cli -- "$@"; }
_employee_ledger() {
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" choices=''
  if [ "$COMP_CWORD" -eq 1 ]; then choices=${quote(namesOf(program))}; second=''; first=''; fi
  if [ "$COMP_CWORD" -eq 2 ]; then second=''; fi
  for path in "$first" "$first $second"; do
    case "$path" in
${cases.join('')}    esac
  done
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _employee_ledger employee-ledger
`
}

function writeFish(program: Command) {
  const lines = program.commands.flatMap((command) => {
    const name = command.name()
    const names = namesOf(command)
    const isSeen = `__fish_seen_subcommand_from ${name}`
    const children = command.commands.flatMap((child) =>
      child.options.map((option) => completeFish(`${isSeen}; and __fish_seen_subcommand_from ${child.name()}`, option)),
    )
    return [
      ...(names === '' ? [] : [completeFish(`${isSeen}; and not __fish_seen_subcommand_from ${names}`, names)]),
      ...command.options.map((option) => completeFish(isSeen, option)),
      ...children,
    ]
  })
  return `function employee-ledger; npm --prefix ${quoteFish(FOLDER)} run --silent cli -- $argv; end
${completeFish('__fish_use_subcommand', namesOf(program))}${lines.join('')}`
}

/** Completes with an option, or with names. */
function completeFish(condition: string, choices: Option | string) {
  const [kind, names] = typeof choices === 'string' ? ['-f -a', choices] : ['-l', choices.long?.slice(2) ?? '']
  return names === '' ? '' : `complete -c employee-ledger -n ${quoteFish(condition)} ${kind} ${quoteFish(names)}\n`
}

function quoteFish(text: string) {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
}

function casesOf(path: string[], command: Command) {
  const options = command.options.flatMap(({ long }) => long ?? [])
  return `      ${quote(path.join(' '))}) choices=${quote([namesOf(command), ...options].join(' ').trim())} ;;\n`
}

function namesOf({ commands }: Command) {
  return commands.map((command) => command.name()).join(' ')
}

function quote(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
