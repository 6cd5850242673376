/*
 * Links the Node.js that `npm ci` installs to node_modules/.bin/node, where npm's scripts look first. npm before 11.6
 * doesn't: of the packages for the two architectures, it links the one that it leaves out.
 *
 * Plain JavaScript, because it runs on the Node.js that the machine has.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs'

const name = `node-linux-${process.arch}/bin/node`
const link = 'node_modules/.bin/node'

if (process.platform === 'linux' && existsSync(`node_modules/${name}`) && !existsSync(link)) {
  rmSync(link, { force: true })
  symlinkSync(`../${name}`, link)
}
