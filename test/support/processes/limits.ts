import { LIMITS, type Limits } from '../../../src/config.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** The limits of a process whose variables name some of them. Operators can't do this: it is for tests alone. */
export function limitsOf(variables: Variables): Limits {
  const named = Object.entries(variables).filter(([name, value]) => Object.hasOwn(LIMITS, name) && value !== undefined)
  return { ...LIMITS, ...Object.fromEntries(named.map(([name, value]) => [name, Number(value)])) }
}

/** Arguments that let a process of the program take the limits that its variables name; none if they name none. */
export function presetLimits(variables: Variables): string[] {
  return Object.keys(variables).some((name) => Object.hasOwn(LIMITS, name))
    ? ['--import', new URL('preset-limits.ts', import.meta.url).href]
    : []
}
