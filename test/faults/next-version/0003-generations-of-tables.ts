export { up } from '../../../migrations/0003-generations-of-tables.ts'
