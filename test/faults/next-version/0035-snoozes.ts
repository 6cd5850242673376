export { up } from '../../../migrations/0035-snoozes.ts'
