import type { Command } from 'commander'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../..', import.meta.url))
const ZSH = 'autoload -U +X bashcompinit && bashcompinit\n'

/** The shells that can complete commands. */
export const SHELLS = ['bash', 'zsh']

/** Writes a script that defines the command `employee-ledger` in a shell, with completion. */
export function writeCompletion(program: Command, shell: string): string {
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

function casesOf(path: string[], command: Command): string {
  const options = command.options.flatMap(({ long }) => long ?? [])
  return `      ${quote(path.join(' '))}) choices=${quote([namesOf(command), ...options].join(' ').trim())} ;;\n`
}

function namesOf({ commands }: Command): string {
  return commands.map((command) => command.name()).join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
