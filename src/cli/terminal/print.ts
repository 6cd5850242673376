/** The result of a command, with what it says to people. */
class Said {
  readonly result: object
  readonly text: string

  constructor(result: object, text: string) {
    this.result = result
    this.text = text
  }
}

/** Makes the result of a command that people read as a text instead of `name  value` lines. */
export function say(result: object, text: string) {
  return new Said(result, text)
}

/** Prints what a command returned: as JSON, or for people. */
export function print(returned: object, asJson: boolean) {
  const result = returned instanceof Said ? returned.result : returned
  if (asJson) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  else process.stdout.write(returned instanceof Said ? returned.text : formatLines(returned))
}

type Value = string | number | boolean | object | null

/** Formats a result, or a list of them, as `name  value` lines. */
export function formatLines(result: object) {
  const rows = [result].flat().map((row) => {
    const width = Object.keys(row).reduce((widest, name) => Math.max(widest, name.length), 0)
    return Object.entries(row as Record<string, Value>).map(
      ([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}\n`,
    )
  })
  return rows.map((lines) => lines.join('')).join('\n')
}

function formatValue(value: Value) {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Collects the steps of a command for its result, and prints each at once unless the result is printed as JSON. */
export function collectSteps(json = false) {
  const steps: string[] = []
  return {
    steps,
    /** Adds a step. */
    onStep(line: string) {
      steps.push(line)
      if (!json) process.stdout.write(`${line}\n`)
    },
  }
}
