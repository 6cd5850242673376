/*
 * Plain JavaScript, which any Node.js can read: the rest of the program is TypeScript, and an older one would fail on it
 * with a stack trace.
 */
const NEEDED = 24
const { node } = process.versions
if (Number(node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `employee-ledger: this is Node.js ${node}, but ${NEEDED} is needed: install it, ` +
      'or run `npm ci` without --omit=optional and --ignore-scripts, which brings it\n',
  )
  process.exit(1)
}
