import { LIMITS } from '../../../src/config.ts'
import { limitsOf } from './limits.ts'

/* Loaded before the program, by the tests that start it with other limits. */

Object.assign(LIMITS, limitsOf(process.env))
