/*
 * Plain JavaScript, which any Node.js can read: the rest of the program is TypeScript, and an older one would fail on it
 * with a stack trace.
 */
import { readFileSync } from 'node:fs'
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

const root = new URL('../', import.meta.url)
const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
// As in package.json, `#projections/*` stands before `#*`.
const names = Object.entries(imports).map(([name, target]) => ({ start: name.slice(0, -'*'.length), target }))

// A tenth of the time of a start: for each import from another folder, Node.js would look for the package of the file
// folder by folder, and read its names again.
module.registerHooks({
  resolve(specifier, context, nextResolve) {
    const isOurs = specifier.startsWith('#') && !context.parentURL?.includes('/node_modules/')
    if (!isOurs) return nextResolve(specifier, context)
    const { start, target } = names.find((name) => specifier.startsWith(name.start))
    const path = target.replace('*', specifier.slice(start.length))
    return { url: new URL(path, root).href, format: 'module-typescript', shortCircuit: true }
  },
})
