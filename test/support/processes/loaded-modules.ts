import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/*
 * For `--import`: writes the address of each module that the process loads into the file LOADED_MODULES_FILE.
 */

const file = process.env['LOADED_MODULES_FILE']!
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})
