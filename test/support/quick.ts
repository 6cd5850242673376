/** Whether this process runs a group of `npm test` or of the gate (test/groups), which try fewer inputs. */
export const isQuick = /\/test\/groups\/(?:quick|gate)\//.test(process.argv[1] ?? '')

/** How many inputs a test tries: a few in the gate, all of them in the nightly run and when its file is run alone. */
export function inputs(few: number, all: number): number {
  return isQuick ? few : all
}
