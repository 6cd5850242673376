/** Whether this is a run of `npm test`, which leaves out the long tests. */
export const isQuick = process.env['QUICK_TESTS'] === '1'

/** How many inputs a test tries: a few in `npm test`, all of them in `npm run test:all` and when its file is run alone. */
export function inputs(few: number, all: number): number {
  return isQuick ? few : all
}
