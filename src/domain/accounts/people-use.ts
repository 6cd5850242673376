/* What keys may do to people, and what they did. Times are RFC 3339 UTC. */

/** A number of people, or a share of the active ones, in percent. */
export type PeopleLimit = number | `${number}%`

/** How many people a key may deactivate and change in a UTC day; null for any number. */
export interface KeyLimits {
  max_deactivations: PeopleLimit | null
  max_changes: PeopleLimit | null
}

export type Limited = keyof KeyLimits

/** How many more people a key may deactivate and change until a time, whatever its limits; null for none. */
export interface KeyExcess extends Record<Limited, number | null> {
  until: string
}

/** Numbers of people, as the log counts them. */
export type PeopleNumbers = Readonly<Record<Limited, number>>

/** What a key did to people. */
export interface PeopleUse {
  /** The day of the numbers, YYYY-MM-DD. */
  day: string
  done: PeopleNumbers
  /** How many people were active when they were last counted in this day; null if they were not. */
  active: { count: number; at: string } | null
  /** What it did since an administrator allowed more; `until` tells which time that was. */
  excess: { until: string; done: PeopleNumbers } | null
  /** The last call that was refused for a limit, until an administrator allows it. */
  refused: RefusedExcess | null
  /** The last day on which it deactivated more people than usual, and since when. */
  unusual: { at: string; deactivations: number; active: number } | null
}

/** A call that would have done `wanted` beyond what the key had `done` in this day. */
export interface RefusedExcess {
  at: string
  log_id: string
  limited: Limited
  wanted: number
  /** All that the call would have done. */
  call: PeopleNumbers
  done: number
  limit: number
  active: number
}
