/*
 * Runs after `npm ci`. Plain JavaScript, because it runs on the Node.js that the machine has.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs'

const nodePackage = `node-linux-${process.arch}`

linkNode()

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
