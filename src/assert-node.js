/*
 * Plain JavaScript, which any Node.js can read: the rest of the program is TypeScript, and an older one would fail on it
 * with a stack trace.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const { node } = process.versions
if (Number(node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `employee-ledger: this is Node.js ${node}, but ${NEEDED} is needed: install it, ` +
      'or run `npm ci` without --omit=optional and --ignore-scripts, which brings it\n',
  )
  process.exit(1)
}

// Halves the time of a start. The cache is inside node_modules, where only those who may change the program can write
// (in the folder for temporary files, others could plant code). Where it cannot be written, there is none.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)))
