export { up } from '../../../migrations/0010-last-four.ts'
