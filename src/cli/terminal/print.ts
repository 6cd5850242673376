type Value = string | number | boolean | object | null

/** Prints the result of a command: as JSON, or as `name  value` lines. */
export function print(result: Record<string, Value> | Record<string, Value>[], asJson: boolean | undefined): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return
  }
  for (const [at, row] of [result].flat().entries()) {
    if (at > 0) process.stdout.write('\n')
    const width = Object.keys(row).reduce((widest, name) => Math.max(widest, name.length), 0)
    for (const [name, value] of Object.entries(row)) {
      process.stdout.write(`${name.padEnd(width)}  ${formatValue(value)}\n`)
    }
  }
}

function formatValue(value: Value): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
