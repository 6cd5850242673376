/** Prints what a command gives: JSON for programs, `name: value` lines for people. */
export function print(result: Record<string, unknown> | Record<string, unknown>[], asJson: boolean | undefined): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return
  }
  for (const [at, row] of [result].flat().entries()) {
    if (at > 0) process.stdout.write('\n')
    const width = Math.max(0, ...Object.keys(row).map((name) => name.length))
    for (const [name, value] of Object.entries(row)) {
      const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
      process.stdout.write(`${name.padEnd(width)}  ${text}\n`)
    }
  }
}
