import path from 'node:path'

/**
 * The variable with which a process of Node.js takes its modules as they were compiled before, from the cache of
 * `npm test`. Most of the time of a short process goes into compiling them.
 */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/node') }
