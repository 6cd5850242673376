/*
 * Runs after `npm ci`. Plain JavaScript, because it runs on the Node.js that the machine has.
 */
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const nodePackage = `node-linux-${process.arch}`

linkNode()
removeUnused()

/**
 * Links the Node.js that `npm ci` installs to node_modules/.bin/node, where npm's scripts look first. npm before 11.6
 * doesn't: of the packages for the two architectures, it links the one that it leaves out.
 */
function linkNode() {
  const link = 'node_modules/.bin/node'
  if (!existsSync(`node_modules/${nodePackage}/bin/node`) || existsSync(link)) return
  rmSync(link, { force: true })
  symlinkSync(`../${nodePackage}/bin/node`, link)
}

/**
 * Removes a fifth of what `npm ci` installs: the C headers of Node.js, the source maps of packages, and the TypeScript
 * compiler of tap's build tool, which nothing here runs.
 */
function removeUnused() {
  rmSync(`node_modules/${nodePackage}/include`, { recursive: true, force: true })
  const compilers = 'node_modules/@typescript'
  for (const name of existsSync(compilers) ? readdirSync(compilers) : [])
    if (name.startsWith('native-preview')) rmSync(path.join(compilers, name), { recursive: true, force: true })
  for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.map')) rmSync(path.join(entry.parentPath ?? entry.path, entry.name))
  }
}
